// Of builds that found no COIN-OR CBC.
#include "plan/integer_program.h"

namespace hearth {

Result<IntegerSolution> solve(const IntegerProgram&, double, int) {
    return Error{ErrorCode::Unsupported, "this build has no integer program solver (COIN-OR CBC)"};
}

}  // namespace hearth
