// Makes the standard streams that a program inherits safe to use.
#pragma once

namespace hearth::ui {

// Call it first. From then on a write to a stream whose reader has gone fails; otherwise it would
// end the program (SIGPIPE) in the middle of its work. A closed stream is opened on the null
// device. Otherwise the next opened file would get its number, and output to the stream would land
// in that file. Children of QProcess and of the engine start as usual.
void outliveLauncher();

}  // namespace hearth::ui
