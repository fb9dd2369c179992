// hearth-cli probe-gpu: what this program starts itself with to try a GPU (hearth/tools.h). In no
// list of commands; its output is for this program and may be any text.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "model_options.h"
#include "program.h"

namespace hearth::cli {

void add_probe_gpu(CLI::App& app, Program& program) {
    auto index = std::make_shared<int>(0);
    CLI::App* command = app.add_subcommand("probe-gpu", "");
    command->group("");  // hidden
    command->add_option("index", *index)->required()->transform(whole_number(0, 1 << 20));
    command->callback([index, &program] {
        program.action = [index, &program] {
            program.write(tools::probe_gpu_here(*index));
            return program.finish();
        };
    });
}

}  // namespace hearth::cli
