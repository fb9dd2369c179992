// hearth-cli devices: this machine's processor, memory, disks and GPUs, as measured.
#include <CLI/CLI.hpp>

#include <hearth/tools.h>

#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"
#include "system.h"

namespace hearth::cli {
namespace {

Json known(double value) {
    return value > 0 ? Json(value) : Json(nullptr);
}

Json known(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json gpu_json(const tools::GpuReport& gpu) {
    Json heaps = Json::array();
    for (const tools::GpuReport::Heap& heap : gpu.heaps) {
        heaps.push_back({{"bytes", heap.bytes},
                         {"available_bytes", heap.available_bytes},
                         {"device_local", heap.device_local}});
    }
    return {{"index", gpu.index},
            {"name", gpu.name},
            {"type", gpu.kind},
            {"driver", gpu.driver},
            {"api", gpu.vulkan_version},
            {"heap_bytes", gpu.memory_bytes},
            {"budget_bytes", gpu.available_bytes},
            {"unified", gpu.shares_ram},
            {"read_gb_per_s", known(gpu.speeds.read_gb_per_s)},
            {"bus_gb_per_s", known(gpu.speeds.to_gpu_gb_per_s)},
            {"bus_back_gb_per_s", known(gpu.speeds.from_gpu_gb_per_s)},
            {"meeting_us", known(gpu.speeds.round_trip_us)},
            {"step_us", known(gpu.speeds.step_us)},
            {"gflop_per_s", known(gpu.speeds.gflop_per_s)},
            {"subgroup", gpu.subgroup_size > 0
                             ? Json::array({gpu.subgroup_size_min, gpu.subgroup_size_max})
                             : Json(nullptr)},
            {"subgroup_size", gpu.subgroup_size > 0 ? Json(gpu.subgroup_size) : Json(nullptr)},
            {"integer_dot", gpu.integer_dot},
            {"cooperative_matrix", gpu.cooperative_matrix},
            {"heaps", std::move(heaps)},
            {"status", gpu.status},
            {"chosen", gpu.chosen},
            {"reason", known(gpu.reason)},
            {"untried", known(gpu.untried)}};
}

Json disk_json(const tools::DiskReport& disk) {
    Json random = Json::array();
    Json of_4k = nullptr;
    for (const tools::DiskReport::Random& reads : disk.random) {
        random.push_back({{"bytes", reads.bytes}, {"depth", reads.depth}, {"per_s", reads.per_s}});
        if (reads.bytes == 4096) {
            of_4k = reads.per_s;
        }
    }
    const bool measured = disk.depth > 0;
    return {{"path", disk.path},
            {"sequential_gb_per_s", known(disk.sequential_gb_per_s)},
            {"random_4k_per_s", std::move(of_4k)},
            {"request_bytes", measured ? Json(disk.largest_read_bytes) : Json(nullptr)},
            {"depth", measured ? Json(disk.depth) : Json(nullptr)},
            {"merge_gap_bytes", measured ? Json(disk.merge_gap_bytes) : Json(nullptr)},
            {"alignment_bytes", disk.alignment_bytes},
            {"direct", disk.direct},
            {"reason", known(disk.why_not_direct)},
            {"random", std::move(random)}};
}

Json report_json(const tools::DeviceReport& report) {
    Json speeds = Json::array();
    for (const tools::ThreadCount& point : report.thread_speeds) {
        speeds.push_back({{"threads", point.threads}, {"speed", point.speed}});
    }
    Json disks = Json::array();
    for (const tools::DiskReport& disk : report.disks) {
        disks.push_back(disk_json(disk));
    }
    Json gpus = Json::array();
    for (const tools::GpuReport& gpu : report.gpus) {
        gpus.push_back(gpu_json(gpu));
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
        {"disks", std::move(disks)},
        {"gpus", std::move(gpus)},
        {"no_gpus", known(report.no_gpus)},
        {"drivers_left_out", known(report.drivers_left_out)}};
}

void write_disk(Program& program, const tools::DiskReport& disk) {
    program.write(format("disk %s\n", printable(disk.path).c_str()));
    if (!disk.direct) {
        program.write(format("     no direct reads: %s\n", printable(disk.why_not_direct).c_str()));
        return;
    }
    std::string random;
    for (const tools::DiskReport::Random& reads : disk.random) {
        random += format("%s%s %.0f/s", random.empty() ? "" : ", ",
                         format_size(reads.bytes).c_str(), reads.per_s);
    }
    program.write(format("     reads %.2f GB/s in order; scattered: %s\n", disk.sequential_gb_per_s,
                         random.c_str()));
    program.write(format("     read directly in steps of %s, up to %s at once, %d at a time\n",
                         format_size(disk.alignment_bytes).c_str(),
                         format_size(disk.largest_read_bytes).c_str(), disk.depth));
}

std::string features_text(const tools::GpuReport& gpu) {
    std::string text;
    if (gpu.integer_dot) {
        text += "integer dot, ";
    }
    if (gpu.cooperative_matrix) {
        text += "cooperative matrix, ";
    }
    return text + (gpu.subgroup_size > 0 ? format("subgroups of %d", gpu.subgroup_size)
                                         : std::string("no subgroups"));
}

void write_gpu(Program& program, const tools::GpuReport& gpu) {
    program.write(format("gpu  %d: %s (%s), Vulkan %s\n     %s\n", gpu.index,
                         printable(gpu.name).c_str(), gpu.kind.c_str(), gpu.vulkan_version.c_str(),
                         printable(gpu.driver).c_str()));
    for (const tools::GpuReport::Heap& heap : gpu.heaps) {
        const char* whose = !heap.device_local ? "of the machine's"
                            : gpu.shares_ram   ? "shared with the processor"
                                               : "of its own";
        program.write(format("     %s %s, %s available\n", format_size(heap.bytes).c_str(), whose,
                             format_size(heap.available_bytes).c_str()));
    }
    program.write(format("     %s\n", features_text(gpu).c_str()));
    if (gpu.status == "ok") {
        const tools::GpuReport::Speeds& speeds = gpu.speeds;
        program.write(
            format("     tried: right; reads %.1f GB/s, bus %.1f GB/s to it and %.1f "
                   "back, %.1f us a round trip, %.1f a step, %.2f Tflop/s\n",
                   speeds.read_gb_per_s, speeds.to_gpu_gb_per_s, speeds.from_gpu_gb_per_s,
                   speeds.round_trip_us, speeds.step_us, speeds.gflop_per_s / 1e3));
    } else if (gpu.status == "unprobed") {
        program.write(format("     %s\n", gpu.untried.empty() ? "not tried yet (--probe)"
                                                              : printable(gpu.untried).c_str()));
    }
    program.write(gpu.chosen ? std::string("     taken unless --gpu says otherwise\n")
                             : format("     left out: %s\n", printable(gpu.reason).c_str()));
}

int run(Program& program, bool probe, const std::string& disk_file) {
    const Result<tools::DeviceReport> report = tools::devices({.probe = probe,
                                                               .disk_file = disk_file,
                                                               .program = executable_path(),
                                                               .cache_folder = cache_folder()});
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
    for (const tools::DiskReport& disk : report->disks) {
        write_disk(program, disk);
    }
    for (const tools::GpuReport& gpu : report->gpus) {
        write_gpu(program, gpu);
    }
    if (!report->no_gpus.empty()) {
        program.write(format("gpu  none: %s\n", printable(report->no_gpus).c_str()));
    }
    if (!report->drivers_left_out.empty()) {
        program.write(format("gpu  %s\n", printable(report->drivers_left_out).c_str()));
    }
    return program.finish();
}

}  // namespace

void add_devices(CLI::App& app, Program& program) {
    auto probe = std::make_shared<bool>(false);
    auto disk_file = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("devices", "processor, memory, disks and GPUs, as measured");
    command->add_flag("--probe", *probe,
                      "try every GPU, each in a process of its own (5 s at most); measure the disk "
                      "of -m again");
    command
        ->add_option("-m,--model", *disk_file,
                     "measure the disk that this file lies on, once (1.5 s)")
        ->check(not_empty());
    add_json_option(*command, program);
    command->callback([probe, disk_file, &program] {
        program.action = [probe, disk_file, &program] { return run(program, *probe, *disk_file); };
    });
}

}  // namespace hearth::cli
