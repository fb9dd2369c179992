// Bounds how deep brackets and blocks stand inside each other while a template is read.
#pragma once

#include "text/jinja/parser.h"

namespace hearth::jinja {

class TemplateParser::Nesting {
public:
    explicit Nesting(TemplateParser& parser) : parser_(parser) {
        // Each level takes up to a dozen calls, some 2 KiB of stack.
        constexpr int kMost = 100;
        if (++parser_.nesting_ > kMost) {
            parser_.fail("brackets or blocks stand more than " + std::to_string(kMost) +
                             " levels inside each other",
                         Failure::ValueKind::Limit);
        }
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    TemplateParser& parser_;
};

}  // namespace hearth::jinja
