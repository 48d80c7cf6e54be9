#include <algorithm>
#include <iostream>

#include "command.h"

namespace cli {
namespace {

namespace rm = ramet;

// A command of the app with the words that completion offers for it.
struct Command {
  std::string name, description;
  std::vector<std::string> options;  // such as "--json"; includes the options of its subcommands
  std::vector<std::string> parts;    // its subcommands, such as "status" in "sync status"
};

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  return options;
}

std::vector<Command> CommandsOf(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    Command command{sub->get_name(), sub->get_description(), OptionsOf(*sub), {}};
    for (const CLI::App* part : sub->get_subcommands([](const CLI::App*) { return true; })) {
      command.parts.push_back(part->get_name());
      for (const std::string& option : OptionsOf(*part)) {
        if (std::ranges::find(command.options, option) == command.options.end()) {
          command.options.push_back(option);
        }
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string NamesOf(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return rm::StrJoin(names, " ");
}

// Puts text in single quotes for a shell. An apostrophe becomes a typographic one, which needs no
// escape.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("’") : std::string(1, c);
  return quoted + "'";
}

std::string Bash(const std::vector<Command>& commands) {
  std::string text = rm::StrCat(
      "_ramet() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" words= parts=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words='",
      NamesOf(commands),
      " --help --version'\n"
      "  else\n"
      "    case \"${COMP_WORDS[1]}\" in\n");
  for (const Command& command : commands) {
    text += rm::StrCat("      ", command.name, ") words='", rm::StrJoin(command.options, " "), "'");
    if (!command.parts.empty()) {
      text += rm::StrCat("; [ \"$COMP_CWORD\" -eq 2 ] && parts='", rm::StrJoin(command.parts, " "),
                         "'");
    }
    text += " ;;\n";
  }
  return text +
         "    esac\n"
         "    [[ \"$word\" == -* ]] || words=$parts\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _ramet ramet\n";
}

std::string Zsh(const std::vector<Command>& commands) {
  std::string text =
      "#compdef ramet\n"
      "_ramet() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : commands) {
    text += rm::StrCat("    ", Quoted(command.name + ":" + command.description), "\n");
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case \"$words[2]\" in\n";
  for (const Command& command : commands) {
    text += rm::StrCat("    ", command.name, ") [[ \"$PREFIX\" == -* ]] && compadd -- ",
                       rm::StrJoin(command.options, " "));
    if (!command.parts.empty()) {
      text += rm::StrCat("; (( CURRENT == 3 )) && { compadd -- ", rm::StrJoin(command.parts, " "),
                         "; return }");
    }
    text += " ;;\n";
  }
  return text +
         "  esac\n"
         "  [[ \"$PREFIX\" == -* ]] || _files\n"
         "}\n"
         "# An autoloaded function completes; a script that is sourced registers it.\n"
         "if [[ \"$funcstack[1]\" = _ramet ]]; then _ramet \"$@\"; else compdef _ramet ramet; fi\n";
}

std::string Fish(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) {
    text += rm::StrCat("complete -c ramet -n __fish_use_subcommand -f -a ", command.name, " -d ",
                       Quoted(command.description), "\n");
    if (!command.parts.empty()) {
      text += rm::StrCat("complete -c ramet -n '__fish_seen_subcommand_from ", command.name,
                         "' -f -a '", rm::StrJoin(command.parts, " "), "'\n");
    }
    for (const std::string& option : command.options) {
      text += rm::StrCat("complete -c ramet -n '__fish_seen_subcommand_from ", command.name,
                         "' -l ", option.substr(2), "\n");
    }
  }
  return text;
}

}  // namespace

void AddCompletion(CLI::App& app) {
  auto* command = app.add_subcommand("completion", "Print a tab completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n  source <(ramet completion bash)\n"
      "  ramet completion zsh > ~/.zfunc/_ramet\n"
      "  ramet completion fish > ~/.config/fish/completions/ramet.fish");
  command->callback([shell, &app] {
    const std::vector<Command> commands = CommandsOf(app);
    std::cout << (*shell == "bash"  ? Bash(commands)
                  : *shell == "zsh" ? Zsh(commands)
                                    : Fish(commands));
  });
}

}  // namespace cli
