// Any bytes as a text with pages, decoded, gathered and cut into passages; and as what the process
// that reads documents has written.
#include <cstddef>
#include <cstdint>

#include "documents/passages.h"
#include "documents/plain_text.h"
#include "fuzz/fuzz_input.h"

using namespace hearth;
using namespace hearth::ui;

namespace {

void check_passages(const DocumentText& document) {
    qsizetype at = 0;
    for (const Passage& passage : cutPassages(document)) {
        FUZZ_CHECK(passage.begin == at);
        FUZZ_CHECK(passage.length > 0 && passage.length <= kPassageMost);
        const QChar first = document.text[at];
        const bool half =
            at > 0 && first.isLowSurrogate() && document.text[at - 1].isHighSurrogate();
        FUZZ_CHECK(!half || document.pages.contains(at));
        at += passage.length;
    }
    FUZZ_CHECK(at == document.text.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const unsigned form = input.byte();
    const std::string steps = input.text();
    const QByteArray bytes = QByteArray::fromStdString(input.rest());
    if (const auto reading = DocumentReading::fromBytes(bytes)) {
        check_passages(reading->document);
        FUZZ_CHECK(DocumentReading::fromBytes(reading->toBytes()).has_value());
    }
    const auto text = decodeText(bytes, (form & 1U) != 0);
    if (!text) {
        return 0;
    }
    // Longer than the input, so that there are several passages.
    const QString long_text = (form & 2U) != 0 ? text->repeated(20) : *text;
    TextGatherer out((form & 4U) != 0 ? 500 : TextGatherer::kMost);
    qsizetype at = 0;
    for (const char step : steps) {
        const qsizetype end = at + static_cast<unsigned char>(step) * 16;
        out.beginPage();
        out.add(QStringView(long_text).mid(at, end - at));
        out.endParagraph();
        at = std::min(end, long_text.size());
    }
    out.add(QStringView(long_text).mid(at));
    const DocumentText document = out.take();
    FUZZ_CHECK(document.text.isEmpty() || !document.text.back().isSpace());
    check_passages(document);
    return 0;
}
