#include "core.h"

namespace ramet::python {

void BindDeviceWork(nb::module_& m) {
  m.def("work_of_device", [](const std::string& type, int index) -> nb::object {
    const std::optional<DeviceWork> work = WorkOfDevice(type, index);
    if (!work.has_value()) return nb::none();
    return nb::make_tuple(work->launches, work->graph_launches, work->launches_in_graphs,
                          work->fused_launches, work->merged_launches, work->copies_to_device,
                          work->bytes_to_device, work->copies_to_host, work->bytes_to_host);
  });
}

}  // namespace ramet::python
