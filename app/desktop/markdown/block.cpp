#include "markdown/block.h"

namespace hearth::ui {

QString toString(BlockKind kind) {
    switch (kind) {
        case BlockKind::Paragraph:
            return QStringLiteral("paragraph");
        case BlockKind::Heading:
            return QStringLiteral("heading");
        case BlockKind::Code:
            return QStringLiteral("code");
        case BlockKind::List:
            return QStringLiteral("list");
        case BlockKind::Quote:
            return QStringLiteral("quote");
        case BlockKind::Table:
            return QStringLiteral("table");
        case BlockKind::Rule:
            return QStringLiteral("rule");
        case BlockKind::Formula:
            return QStringLiteral("formula");
    }
    return {};
}

QString toString(DrawingCode drawing) {
    switch (drawing) {
        case DrawingCode::None:
            return {};
        case DrawingCode::Whole:
            return QStringLiteral("whole");
        case DrawingCode::TooLong:
            return QStringLiteral("tooLong");
    }
    return {};
}

}  // namespace hearth::ui
