// Each part that a model needs and this engine lacks, in a sentence.
#include "bridge/offer_traits.h"

#include <QtTest>

using namespace hearth::ui;
using Template = OfferTraits::Template;

class OfferTraitsTest : public QObject {
    Q_OBJECT

private slots:
    void says_data();
    void says();
};

void OfferTraitsTest::says_data() {
    QTest::addColumn<OfferTraits>("traits");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const OfferTraits& traits, const char* said) {
        QTest::newRow(name) << traits << QString::fromLatin1(said);
    };
    const QString llama = QStringLiteral("llama");
    const QString odd = QStringLiteral("{% frobnicate %}");
    const char* const none =
        "It was not made for chatting: it has no chat template and continues text.";
    row("nothing", {.architecture = llama, .types = {"Q4_0", "F32"}}, "");
    row("its architecture", {.architecture = QStringLiteral("frobnicator")},
        "This version cannot run its architecture, frobnicator.");
    row("the second of its types", {.architecture = llama, .types = {"Q4_0", "Q9_9"}},
        "This version cannot compute with its weights of the type Q9_9.");
    row("no template", {.architecture = llama, .chatTemplate = Template::None}, none);
    row("its template",
        {.architecture = llama,
         .chatTemplate = Template::Known,
         .family = QStringLiteral("Frob 3"),
         .jinja = odd},
        "This version cannot run its chat template, that of Frob 3.");
    row("a template that nobody has seen", {.architecture = llama, .jinja = odd}, "");
    row("two", {.architecture = QStringLiteral("frobnicator"), .chatTemplate = Template::None},
        "This version cannot run its architecture, frobnicator. It was not made for chatting: it "
        "has no chat template and continues text.");
}

void OfferTraitsTest::says() {
    QFETCH(const OfferTraits, traits);
    QTEST(whatIsMissing(traits), "said");
}

QTEST_GUILESS_MAIN(OfferTraitsTest)
#include "offer_traits_test.moc"
