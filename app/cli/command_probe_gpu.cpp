// hearth-cli probe-gpu: the command with which this program starts itself to list GPUs and to try
// one (hearth/tools.h). No list of commands names it. Its output is for this program and may be any
// text.
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include <hearth/tools.h>

#include "program.h"

namespace hearth::cli {

void add_probe_gpu(CLI::App& app, Program& program) {
    auto what = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("probe-gpu", "");
    command->group("");  // hidden
    command->add_option("what", *what)->required()->check([](const std::string& text) {
        constexpr std::size_t kDigitsMost = 6;
        const bool index = !text.empty() && text.size() <= kDigitsMost &&
                           text.find_first_not_of("0123456789") == std::string::npos;
        return index || text == "list" ? std::string()
                                       : std::string("is neither a number nor list");
    });
    command->callback([what, &program] {
        program.action = [what, &program] {
            program.write(*what == "list" ? tools::list_gpus_here()
                                          : tools::probe_gpu_here(std::stoi(*what)));
            return program.finish();
        };
    });
}

}  // namespace hearth::cli
