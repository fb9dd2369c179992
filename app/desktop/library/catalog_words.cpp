#include "library/catalog_words.h"

#include <QCoreApplication>

namespace hearth::ui {

namespace {

// The sentences of resources/catalog.json, for translators: they read sources.
[[maybe_unused]] constexpr const char* kSentences[] = {
    QT_TRANSLATE_NOOP("CatalogWords",
                      "Chat, English. Sparse: about a tenth of its neurons answer each word."),
    QT_TRANSLATE_NOOP("CatalogWords", "The same, not quantised."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "Continues texts, English. Sparse: nine in ten neurons stay at zero."),
    QT_TRANSLATE_NOOP("CatalogWords", "Continues texts, English. Sparse."),
    QT_TRANSLATE_NOOP(
        "CatalogWords",
        "Continues texts, English. Sparse, and large: it streams from disk on most computers."),
    QT_TRANSLATE_NOOP("CatalogWords", "Small and quick. Chat in eight languages."),
    QT_TRANSLATE_NOOP("CatalogWords", "The same with less rounding."),
    QT_TRANSLATE_NOOP("CatalogWords", "Chat in eight languages."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "The smallest of its family: for a first try and for computers with little "
                      "memory. Chat in many languages."),
    QT_TRANSLATE_NOOP(
        "CatalogWords",
        "Small and quick. Chat in many languages; thinks first where it is asked to."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "For every day. Chat in many languages; thinks first where it is asked to."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "For graphics cards with 8 GB, or 16 GB of memory. Chat in many languages; "
                      "thinks first where it is asked to."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "Large: for graphics cards with 24 GB. It answers slowly elsewhere."),
    QT_TRANSLATE_NOOP("CatalogWords", "Small: much of it stays on disk. Chat in many languages."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "For every day: much of it stays on disk. Chat in many languages."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "For graphics cards with 12 GB, or 16 GB of memory. Chat in many languages."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "A mixture of experts for 24 GB of memory, or less beside a graphics card: "
                      "each word reads a fifth of it."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "A mixture of experts for 32 GB of memory, or less beside a graphics card: "
                      "each word reads a sixth of it."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "A mixture of experts for 48 GB of memory, or 24 GB beside a graphics card "
                      "with 12 GB: each word reads a tenth of it."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "Chat in six languages; thinks first unless it is told not to."),
    QT_TRANSLATE_NOOP("CatalogWords", "For every day, without thinking. Chat in many languages."),
    QT_TRANSLATE_NOOP("CatalogWords",
                      "The smallest: for a first try, and for computers with little memory. Chat "
                      "in many languages."),
    QT_TRANSLATE_NOOP("CatalogWords", "Small and quick. Chat in many languages."),
    QT_TRANSLATE_NOOP("CatalogWords", "Chat and code."),
    QT_TRANSLATE_NOOP("CatalogWords", "Chat, with a long context."),
    QT_TRANSLATE_NOOP("CatalogWords", "Chat, English."),
};

}  // namespace

QString catalogWords(const QString& about) {
    return QCoreApplication::translate("CatalogWords", about.toUtf8().constData());
}

}  // namespace hearth::ui
