// CBC's C interface (Cbc_C_Interface.h of 2.10). It is not linked: with what it needs it would add
// 3 ms and 4 MB to every start of a program that may never place a neuron.
#include <Cbc_C_Interface.h>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "base/shared_library.h"
#include "plan/integer_program.h"

namespace hearth {
namespace {

// Functions by the types their header gives them.
struct Cbc {
    decltype(&Cbc_newModel) new_model;
    decltype(&Cbc_deleteModel) delete_model;
    decltype(&Cbc_setLogLevel) set_log_level;
    decltype(&Cbc_setParameter) set_parameter;
    decltype(&Cbc_loadProblem) load_problem;
    decltype(&Cbc_setObjSense) set_objective_sense;
    decltype(&Cbc_setInteger) set_integer;
    decltype(&Cbc_setMIPStartI) set_start;
    decltype(&Cbc_setMaximumSeconds) set_seconds;
    decltype(&Cbc_setMaximumNodes) set_nodes;
    decltype(&Cbc_solve) run;
    decltype(&Cbc_isProvenOptimal) is_optimal;
    decltype(&Cbc_numberSavedSolutions) saved_solutions;
    decltype(&Cbc_bestSolution) best_solution;
    decltype(&Cbc_getNodeCount) node_count;

    // False: a function is missing.
    bool bind(const SharedLibrary& library) {
        bool complete = true;
        const auto find = [&](auto*& function, const char* name) {
            function = library.symbol<std::remove_reference_t<decltype(*function)>>(name);
            complete = complete && function != nullptr;
        };
        find(new_model, "Cbc_newModel");
        find(delete_model, "Cbc_deleteModel");
        find(set_log_level, "Cbc_setLogLevel");
        find(set_parameter, "Cbc_setParameter");
        find(load_problem, "Cbc_loadProblem");
        find(set_objective_sense, "Cbc_setObjSense");
        find(set_integer, "Cbc_setInteger");
        find(set_start, "Cbc_setMIPStartI");
        find(set_seconds, "Cbc_setMaximumSeconds");
        find(set_nodes, "Cbc_setMaximumNodes");
        find(run, "Cbc_solve");
        find(is_optimal, "Cbc_isProvenOptimal");
        find(saved_solutions, "Cbc_numberSavedSolutions");
        find(best_solution, "Cbc_bestSolution");
        find(node_count, "Cbc_getNodeCount");
        return complete;
    }
};

class Model {
public:
    explicit Model(const Cbc& cbc) : cbc_(cbc), model_(cbc.new_model()) {}
    ~Model() { cbc_.delete_model(model_); }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    operator Cbc_Model*() const { return model_; }

private:
    const Cbc& cbc_;
    Cbc_Model* model_;
};

IntegerSolution run(const Cbc& cbc, const IntegerProgram& program, double seconds, int nodes) {
    const int n_columns = static_cast<int>(program.objective.size());
    const std::vector<double> ones(program.objective.size(), 1.0);
    const Model model(cbc);
    cbc.set_log_level(model, 0);
    cbc.set_parameter(model, "log", "0");
    // Without lower bounds columns begin at 0.
    cbc.load_problem(model, n_columns, static_cast<int>(program.lower.size()),
                     program.starts.data(), program.rows.data(), program.values.data(), nullptr,
                     ones.data(), program.objective.data(), program.lower.data(),
                     program.upper.data());
    cbc.set_objective_sense(model, -1);
    for (int column = 0; column < program.n_binary; ++column) {
        cbc.set_integer(model, column);
    }
    if (!program.start.empty()) {
        std::vector<int> columns(program.start.size());
        for (std::size_t i = 0; i < columns.size(); ++i) {
            columns[i] = static_cast<int>(i);
        }
        cbc.set_start(model, n_columns, columns.data(), program.start.data());
    }
    // CBC 2.10.8 loses the best answer in preprocessing at times and calls a worse one proven
    // (split_program_test, equalsCbc).
    cbc.set_parameter(model, "preprocess", "off");
    cbc.set_parameter(model, "timeMode", "elapsed");
    cbc.set_seconds(model, seconds);
    cbc.set_nodes(model, nodes);
    cbc.run(model);
    IntegerSolution solution;
    solution.optimal = cbc.is_optimal(model) != 0;
    solution.nodes = cbc.node_count(model);
    const double* x = cbc.best_solution(model);
    if (x != nullptr && (solution.optimal || cbc.saved_solutions(model) > 0)) {
        solution.x.assign(x, x + n_columns);
    }
    return solution;
}

}  // namespace

Result<IntegerSolution> solve(const IntegerProgram& program, double seconds, int nodes) {
    const SharedLibrary library = SharedLibrary::open(HEARTH_CBC_LIBRARY);
    Cbc cbc{};
    if (!library || !cbc.bind(library)) {
        return Error{ErrorCode::Unsupported,
                     "the integer program's solver, " HEARTH_CBC_LIBRARY
                     " (COIN-OR CBC), which this build found, is missing here or another version"};
    }
    try {
        return run(cbc, program, seconds, nodes);
    } catch (const std::bad_alloc&) {
        throw;       // guarded() knows what to make of it
    } catch (...) {  // CBC is C++ behind its C interface, and throws types of its own
        return Error{ErrorCode::Internal, "the integer program's solver failed"};
    }
}

}  // namespace hearth
