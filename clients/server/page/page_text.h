#pragma once

#include <string_view>

namespace server {

// The page, from page.html.
extern const std::string_view kPageText;

}  // namespace server
