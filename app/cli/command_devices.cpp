// hearth-cli devices: what this machine offers, as measured.
#include <CLI/CLI.hpp>
#include <cstdio>

#include <hearth/tools.h>

#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"

namespace hearth::cli {
namespace {

Json report_json(const tools::DeviceReport& report) {
    const auto known = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    Json speeds = Json::array();
    for (const tools::ThreadCount& point : report.thread_speeds) {
        speeds.push_back({{"threads", point.threads}, {"speed", point.speed}});
    }
    return {
        {"cpu",
         {{"name", report.cpu_name},
          {"isa", report.isa},
          {"selected", report.selected_isa},
          {"physical_cores", report.physical_cores},
          {"logical_cores", report.logical_cores},
          {"performance_cores", report.performance_cores},
          {"threads", report.threads},
          {"thread_speeds", std::move(speeds)}}},
        {"ram",
         {{"total_bytes", report.ram_total_bytes},
          {"available_bytes", report.ram_available_bytes},
          {"limit_bytes", report.ram_limit_bytes ? Json(*report.ram_limit_bytes) : Json(nullptr)},
          {"read_gb_per_s", known(report.ram_read_gb_per_s)}}},
        // This version reads models into memory whole and computes on the CPU: it looks at neither.
        {"disks", Json::array()},
        {"gpus", Json::array()}};
}

int run(Program& program, bool probe) {
    if (probe) {
        std::fprintf(stderr, "hearth-cli devices: this version uses no GPU, so none is probed\n");
    }
    const Result<tools::DeviceReport> report = tools::devices();
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        return program.finish(report_json(*report));
    }
    std::string isas;
    for (const std::string& isa : report->isa) {
        isas += (isas.empty() ? "" : " ") + isa + (isa == report->selected_isa ? "*" : "");
    }
    program.write(format("cpu  %s\n     %d cores, %d threads; kernels: %s\n",
                         printable(report->cpu_name).c_str(), report->physical_cores,
                         report->logical_cores, isas.c_str()));
    std::string speeds;
    for (const tools::ThreadCount& point : report->thread_speeds) {
        speeds += format("%s%d at %.2f", speeds.empty() ? "" : ", ", point.threads, point.speed);
    }
    program.write(format("     %d threads by default for large models (%s)\n", report->threads,
                         speeds.c_str()));
    program.write(format("ram  %s, %s available", format_size(report->ram_total_bytes).c_str(),
                         format_size(report->ram_available_bytes).c_str()));
    if (report->ram_limit_bytes) {
        program.write(format(", limited to %s", format_size(*report->ram_limit_bytes).c_str()));
    }
    program.write(format("; reads %.1f GB/s\n", report->ram_read_gb_per_s));
    return program.finish();
}

}  // namespace

void add_devices(CLI::App& app, Program& program) {
    auto probe = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("devices", "processor and memory, as measured");
    command->add_flag("--probe", *probe, "test GPUs in a child process");
    add_json_option(*command, program);
    command->callback(
        [probe, &program] { program.action = [probe, &program] { return run(program, *probe); }; });
}

}  // namespace hearth::cli
