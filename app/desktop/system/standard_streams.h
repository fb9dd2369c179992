// What a program gets from whoever starts it: input, output and a place for errors.
#pragma once

namespace hearth::ui {

// Call it first. From then on a write to a stream whose reader has gone is an error of that write;
// it would end the program (SIGPIPE) in the middle of whatever it does. A stream that was closed
// leads nowhere: its number would be taken by the next file that is opened, and what is written to
// the stream would land in that file. Children of QProcess and of the engine begin as usual.
void outliveLauncher();

}  // namespace hearth::ui
