// What a busy neighbour costs: `hearth-cli bench` with and without other processes that keep
// processors busy, in turns, so that a host whose speed drifts disturbs both alike.
//     neighbour_bench [--rounds N] [--busy N] [--cpu C] [--own-session] [--suspend] HEARTH-CLI ...
// What follows HEARTH-CLI are arguments for its `bench`; without any, "-p 0 -n 64 -r 3 -t 2".
//   --rounds N       pairs of a quiet and a busy run (5)
//   --busy N         neighbours: processes that do nothing but compute (1)
//   --cpu C          pins the neighbours to this processor (Linux); else the system places them
//   --own-session    starts each in a session of its own, as programs of a desktop are: Linux may
//                    then share processors out by session instead of by thread
//   --suspend        no neighbours: stops all threads of hearth-cli for 100 ms, four times a second
#include <cstdio>

#ifdef _WIN32

int main() {
    std::fprintf(stderr, "neighbour_bench: starts and stops processes the POSIX way; not here\n");
    return 77;
}

#else

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Options {
    int rounds = 5;
    int busy = 1;
    int cpu = -1;
    bool own_session = false;
    bool suspend = false;
    std::vector<std::string> command;
};

// Computes until its parent is gone; the parent kills it long before.
[[noreturn]] void be_busy(const Options& options, pid_t parent) {
    if (options.own_session) {
        setsid();
    }
#ifdef __linux__
    if (options.cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<std::size_t>(options.cpu), &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            _exit(1);
        }
    }
#endif
    volatile std::uint64_t sum = 0;
    while (getppid() == parent) {
        for (std::uint64_t i = 0; i < 100'000'000; ++i) {
            sum = sum + i;
        }
    }
    _exit(0);
}

class Neighbours {
public:
    explicit Neighbours(const Options& options, int count) {
        const pid_t parent = getpid();
        for (int i = 0; i < count; ++i) {
            const pid_t child = fork();
            if (child == 0) {
                be_busy(options, parent);
            }
            if (child > 0) {
                children_.push_back(child);
            }
        }
        if (count > 0) {
            usleep(200'000);  // they are spread over the processors by now
        }
    }
    ~Neighbours() {
        for (const pid_t child : children_) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }
    Neighbours(const Neighbours&) = delete;
    Neighbours& operator=(const Neighbours&) = delete;

    // One that ended could not do what was asked.
    bool all_alive() const {
        return std::all_of(children_.begin(), children_.end(),
                           [](pid_t child) { return waitpid(child, nullptr, WNOHANG) == 0; });
    }

private:
    std::vector<pid_t> children_;
};

// Everything `command` prints; empty if it failed.
std::optional<std::string> output_of(const std::vector<std::string>& command, bool suspend) {
    int ends[2];
    if (pipe(ends) != 0) {
        return std::nullopt;
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        std::vector<char*> words;
        for (const std::string& word : command) {
            words.push_back(const_cast<char*>(word.c_str()));
        }
        words.push_back(nullptr);
        execv(words[0], words.data());
        _exit(127);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return std::nullopt;
    }
    if (suspend) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    std::string text;
    char buffer[4096];
    for (;;) {
        const ssize_t got = read(ends[0], buffer, sizeof buffer);
        if (got > 0) {
            text.append(buffer, static_cast<std::size_t>(got));
        } else if (got < 0 && errno == EAGAIN) {
            usleep(150'000);
            kill(child, SIGSTOP);
            usleep(100'000);
            kill(child, SIGCONT);
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    close(ends[0]);
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child;
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(text)
                                                                  : std::nullopt;
}

// Tokens per second of the line "decode     64 tokens     1307.1/s  (...)"; negative if it failed.
double decode_per_s(const Options& options, bool suspend) {
    const std::optional<std::string> text = output_of(options.command, suspend);
    if (!text) {
        return -1;
    }
    const std::size_t line = text->find("\ndecode");
    const std::size_t rate = line == std::string::npos ? line : text->find("tokens", line);
    return rate == std::string::npos ? -1 : std::strtod(text->c_str() + rate + 6, nullptr);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; ++i) {
        const std::string_view name = argv[i];
        if (name == "--own-session") {
            options.own_session = true;
        } else if (name == "--suspend") {
            options.suspend = true;
        } else if (i + 1 < argc && name == "--rounds") {
            options.rounds = std::clamp(std::atoi(argv[++i]), 1, 1000);
        } else if (i + 1 < argc && name == "--busy") {
            options.busy = std::clamp(std::atoi(argv[++i]), 1, 64);
        } else if (i + 1 < argc && name == "--cpu") {
            options.cpu = std::clamp(std::atoi(argv[++i]), 0, 1023);
        } else {
            return std::nullopt;
        }
    }
    if (i == argc) {
        return std::nullopt;
    }
    options.command = {argv[i], "bench"};
    if (i + 1 == argc) {
        for (const char* word : {"-p", "0", "-n", "64", "-r", "3", "-t", "2"}) {
            options.command.emplace_back(word);
        }
    }
    for (++i; i < argc; ++i) {
        options.command.emplace_back(argv[i]);
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const std::optional<Options> options = parse(argc, argv);
    if (!options) {
        std::fprintf(stderr,
                     "usage: neighbour_bench [--rounds N] [--busy N] [--cpu C] [--own-session] "
                     "[--suspend] HEARTH-CLI [BENCH-OPTIONS]\n");
        return 2;
    }
    std::vector<double> quiet, busy, slower;
    for (int round = 0; round < options->rounds; ++round) {
        const double alone = decode_per_s(*options, false);
        const Neighbours neighbours(*options, options->suspend ? 0 : options->busy);
        const double beside = decode_per_s(*options, options->suspend);
        if (alone <= 0 || beside <= 0 || !neighbours.all_alive()) {
            std::fprintf(stderr, "a run failed: %s\n", options->command[0].c_str());
            return 1;
        }
        quiet.push_back(alone);
        busy.push_back(beside);
        slower.push_back(alone / beside);
    }
    const auto [least, most] = std::minmax_element(slower.begin(), slower.end());
    std::printf(
        "decode quiet %.1f/s, busy %.1f/s; slower by a factor of %.2f (%.2f to %.2f, %d "
        "pairs)\n",
        median(quiet), median(busy), median(slower), *least, *most, options->rounds);
    return 0;
}

#endif
