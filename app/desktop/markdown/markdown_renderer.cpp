#include "markdown/markdown_renderer.h"

#include <md4c.h>

#include <QHash>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "markdown/formulas.h"

namespace hearth::ui {

namespace {

constexpr int kDeepest = 12;  // nested lists, quotes and spans beyond it keep their text only
constexpr qsizetype kDeepestTask = 4;

QString plainHtml(const QString& text) {
    return text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"));
}

// "&#115;" and the five names that matter in an address; null for other entities.
QString decodeEntity(const QString& entity) {
    if (entity.startsWith(QLatin1String("&#"))) {
        const bool hex = entity.size() > 2 && entity[2].toLower() == QLatin1Char('x');
        bool ok = false;
        const QString digits = entity.mid(hex ? 3 : 2, entity.size() - (hex ? 4 : 3));
        const uint code = digits.toUInt(&ok, hex ? 16 : 10);
        if (!ok || code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
            return QString(QChar::ReplacementCharacter);
        }
        const char32_t character = code;
        return QString::fromUcs4(&character, 1);
    }
    static const QHash<QString, QString> names = {
        {QStringLiteral("&amp;"), QStringLiteral("&")},
        {QStringLiteral("&lt;"), QStringLiteral("<")},
        {QStringLiteral("&gt;"), QStringLiteral(">")},
        {QStringLiteral("&quot;"), QStringLiteral("\"")},
        {QStringLiteral("&apos;"), QStringLiteral("'")},
    };
    return names.value(entity);
}

class Renderer {
public:
    Renderer(qsizetype sourceSize, const Formulas& formulas)
        : limit_(qsizetype{64} * 1024 + 8 * sourceSize), formulas_(formulas) {}

    QList<Block> take() { return std::move(blocks_); }

    int enterBlock(MD_BLOCKTYPE type, void* detail) {
        if (type == MD_BLOCK_DOC) {
            return 0;
        }
        if (depth_++ == 0) {
            return startTop(type, detail);
        }
        if (depth_ <= kDeepest) {
            openTag(type, detail);
        }
        return check();
    }

    int leaveBlock(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_DOC) {
            return 0;
        }
        if (depth_ > 1 && depth_ <= kDeepest) {
            closeTag(type);
        }
        if (--depth_ == 0) {
            endTop(type);
        }
        return check();
    }

    int enterSpan(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_IMG) {
            if (images_++ == 0) {
                imageStart_ = html_.size();
            }
            return 0;
        }
        QString tag;
        if (images_ == 0 && spans_.size() < kDeepest) {
            switch (type) {
                case MD_SPAN_EM:
                    tag = QStringLiteral("em");
                    break;
                case MD_SPAN_STRONG:
                    tag = QStringLiteral("strong");
                    break;
                case MD_SPAN_CODE:
                    tag = QStringLiteral("code");
                    break;
                case MD_SPAN_DEL:
                    tag = QStringLiteral("s");
                    break;
                case MD_SPAN_A: {
                    const QString link = safeLink(
                        formulas_.source(attribute(static_cast<MD_SPAN_A_DETAIL*>(detail)->href)));
                    if (!link.isEmpty()) {
                        tag = QStringLiteral("a");
                        html_ += QStringLiteral("<a href=\"%1\">").arg(link.toHtmlEscaped());
                    }
                    break;
                }
                default:
                    break;
            }
        }
        if (!tag.isEmpty() && tag != QLatin1String("a")) {
            html_ += QLatin1Char('<') + tag + QLatin1Char('>');
        }
        spans_.append(tag);
        return check();
    }

    int leaveSpan(MD_SPANTYPE type) {
        if (type == MD_SPAN_IMG) {
            if (--images_ == 0 && html_.size() == imageStart_) {
                html_ += QStringLiteral("image");  // has no description
            }
            return 0;
        }
        const QString tag = spans_.takeLast();
        if (!tag.isEmpty()) {
            html_ += QLatin1String("</") + tag + QLatin1Char('>');
        }
        return check();
    }

    int text(MD_TEXTTYPE type, const QString& text) {
        if (inCode_) {
            code_ += formulas_.source(text);
            return check();
        }
        switch (type) {
            case MD_TEXT_NULLCHAR:
                html_ += QChar(QChar::ReplacementCharacter);
                break;
            case MD_TEXT_BR:
            case MD_TEXT_SOFTBR:  // people who chat mean a new line by a new line
                html_ += images_ > 0 ? QStringLiteral(" ") : QStringLiteral("<br>");
                break;
            case MD_TEXT_ENTITY: {
                const QString decoded = decodeEntity(text);
                html_ += decoded.isNull() ? text : decoded.toHtmlEscaped();
                break;
            }
            case MD_TEXT_CODE:
                html_ += formulas_.source(text).toHtmlEscaped();
                break;
            default:  // raw HTML is text like any other
                html_ +=
                    images_ > 0 ? formulas_.source(text).toHtmlEscaped() : formulas_.html(text);
                break;
        }
        return check();
    }

private:
    int startTop(MD_BLOCKTYPE type, void* detail) {
        block_ = Block();
        html_.clear();
        switch (type) {
            case MD_BLOCK_H:
                block_.kind = BlockKind::Heading;
                block_.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
                break;
            case MD_BLOCK_HR:
                block_.kind = BlockKind::Rule;
                break;
            case MD_BLOCK_CODE:
                block_.kind = BlockKind::Code;
                inCode_ = true;
                code_.clear();
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                block_.kind = BlockKind::List;
                openTag(type, detail);
                break;
            case MD_BLOCK_QUOTE:
                block_.kind = BlockKind::Quote;
                break;
            case MD_BLOCK_TABLE:
                block_.kind = BlockKind::Table;
                openTag(type, detail);
                break;
            default:
                block_.kind = BlockKind::Paragraph;
                break;
        }
        return check();
    }

    void endTop(MD_BLOCKTYPE type) {
        if (block_.kind == BlockKind::List || block_.kind == BlockKind::Table) {
            closeTag(type);
        }
        if (inCode_) {
            inCode_ = false;
            while (code_.endsWith(QLatin1Char('\n'))) {
                code_.chop(1);
            }
            block_.code = code_;
        } else {
            block_.html = html_;
        }
        blocks_.append(block_);
    }

    void openTag(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_UL:
                endTaskText();
                lists_.append({false, 1, false});
                break;
            case MD_BLOCK_OL:
                endTaskText();
                lists_.append({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start, false});
                break;
            case MD_BLOCK_LI:
                openItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
                break;
            case MD_BLOCK_P: {
                const bool ofTask = !items_.isEmpty() && items_.last().textOpen;
                paragraphs_.append(!ofTask);
                html_ += ofTask ? QString() : QStringLiteral("<p>");
                break;
            }
            case MD_BLOCK_TH:
            case MD_BLOCK_TD: {
                html_ += type == MD_BLOCK_TH ? QStringLiteral("<th") : QStringLiteral("<td");
                switch (static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align) {
                    case MD_ALIGN_CENTER:
                        html_ += QStringLiteral(" align=\"center\"");
                        break;
                    case MD_ALIGN_RIGHT:
                        html_ += QStringLiteral(" align=\"right\"");
                        break;
                    default:
                        break;
                }
                html_ += QLatin1Char('>');
                break;
            }
            case MD_BLOCK_TABLE:
                endTaskText();
                html_ += QStringLiteral("<table border=\"1\" cellspacing=\"0\" cellpadding=\"6\">");
                break;
            case MD_BLOCK_CODE:
                endTaskText();
                html_ += QStringLiteral("<pre>");
                break;
            case MD_BLOCK_HR:
                endTaskText();
                html_ += QStringLiteral("<p>———</p>");
                break;
            default:
                endTaskText();
                if (const char* name = nameOf(type)) {
                    html_ += QLatin1Char('<') + QLatin1String(name) + QLatin1Char('>');
                }
                break;
        }
    }

    void closeTag(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
            endList(lists_.takeLast());
        } else if (type == MD_BLOCK_LI) {
            endTaskText();
            html_ += items_.takeLast().task ? QString() : QStringLiteral("</li>");
        } else if (type == MD_BLOCK_P && !paragraphs_.takeLast()) {
            endTaskText();
        } else if (const char* name = nameOf(type)) {
            html_ += QLatin1String("</") + QLatin1String(name) + QLatin1Char('>');
        }
    }

    struct List {
        bool ordered;
        unsigned next;  // its number
        bool open;      // its tag is written
    };
    struct Item {
        bool task;
        bool textOpen;  // of a task: its first paragraph is open
    };

    // A task has its box in place of a bullet, which Qt draws before every <li>. It is therefore a
    // paragraph that stands out on the left, of a class for its depth (Theme.qml).
    void openItem(const MD_BLOCK_LI_DETAIL& item) {
        List& list = lists_.last();
        if (item.is_task) {
            endList(list);
            qsizetype level = 1;
            while (level <= items_.size() && items_[items_.size() - level].task) {
                ++level;
            }
            html_ += QStringLiteral("<p class=\"task%1\">%2 ")
                         .arg(std::min<qsizetype>(level, kDeepestTask))
                         .arg(item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑"));
        } else {
            if (!list.open && list.ordered) {
                html_ += list.next == 1 ? QStringLiteral("<ol>")
                                        : QStringLiteral("<ol start=\"%1\">").arg(list.next);
            } else if (!list.open) {
                html_ += QStringLiteral("<ul>");
            }
            list.open = true;
            html_ += QStringLiteral("<li>");
        }
        ++list.next;
        items_.append({item.is_task != 0, item.is_task != 0});
    }

    void endList(List& list) {
        if (std::exchange(list.open, false)) {
            html_ += list.ordered ? QStringLiteral("</ol>") : QStringLiteral("</ul>");
        }
    }
    void endList(List&& list) { endList(list); }

    // Ends the text of a task before content below it.
    void endTaskText() {
        if (!items_.isEmpty() && std::exchange(items_.last().textOpen, false)) {
            html_ += QStringLiteral("</p>");
        }
    }

    static const char* nameOf(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                return "blockquote";
            case MD_BLOCK_P:
                return "p";
            case MD_BLOCK_H:
                return "h4";  // inside a list or quote the level says nothing
            case MD_BLOCK_CODE:
                return "pre";
            case MD_BLOCK_TABLE:
                return "table";
            case MD_BLOCK_THEAD:
                return "thead";
            case MD_BLOCK_TBODY:
                return "tbody";
            case MD_BLOCK_TR:
                return "tr";
            case MD_BLOCK_TH:
                return "th";
            case MD_BLOCK_TD:
                return "td";
            default:
                return nullptr;
        }
    }

    static QString attribute(const MD_ATTRIBUTE& source) {
        QString value;
        for (int i = 0; source.substr_offsets != nullptr && source.substr_offsets[i] < source.size;
             ++i) {
            const MD_OFFSET from = source.substr_offsets[i];
            const QString part = QString::fromUtf8(
                source.text + from, static_cast<qsizetype>(source.substr_offsets[i + 1] - from));
            if (source.substr_types[i] == MD_TEXT_ENTITY) {
                const QString decoded = decodeEntity(part);
                if (decoded.isNull()) {
                    return {};  // nobody could judge where it leads
                }
                value += decoded;
            } else {
                value += part;
            }
        }
        return value;
    }

    // A table of many columns and short rows is padded by the parser: this stops it before it fills
    // memory.
    int check() const { return html_.size() + code_.size() > limit_ ? 1 : 0; }

    qsizetype limit_;
    const Formulas& formulas_;
    QList<Block> blocks_;
    Block block_;
    QString html_;
    QString code_;
    bool inCode_ = false;
    int depth_ = 0;
    int images_ = 0;
    qsizetype imageStart_ = 0;
    QList<QString> spans_;
    QList<List> lists_;
    QList<Item> items_;
    QList<bool> paragraphs_;  // true: its tag is written
};

Renderer& self(void* user) {
    return *static_cast<Renderer*>(user);
}

}  // namespace

QString safeLink(const QString& target) {
    const QUrl url(target, QUrl::TolerantMode);
    const QString scheme = url.scheme().toLower();
    const bool web = scheme == QLatin1String("http") || scheme == QLatin1String("https");
    if (!url.isValid() || (!web && scheme != QLatin1String("mailto")) ||
        (web && url.host().isEmpty())) {
        return {};
    }
    return QString::fromLatin1(url.toEncoded());
}

QList<Block> renderMarkdown(const QString& text) {
    Formulas formulas;
    const QByteArray source = formulas.hide(text).toUtf8();
    Renderer renderer(text.size(), formulas);
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML |
                   MD_FLAG_PERMISSIVEURLAUTOLINKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
        return self(user).enterBlock(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
        return self(user).leaveBlock(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
        return self(user).enterSpan(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
        return self(user).leaveSpan(type);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* data, MD_SIZE size, void* user) {
        return self(user).text(type, QString::fromUtf8(data, static_cast<qsizetype>(size)));
    };
    const int stopped =
        md_parse(source.constData(), static_cast<MD_SIZE>(source.size()), &parser, &renderer);
    QList<Block> blocks = renderer.take();
    if (stopped != 0 || (blocks.isEmpty() && !text.trimmed().isEmpty())) {
        Block plain;
        plain.html = plainHtml(text.trimmed());
        blocks = {plain};
    }
    return blocks;
}

}  // namespace hearth::ui
