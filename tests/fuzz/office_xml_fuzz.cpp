// Any bytes as the XML of a docx, of an odt, and of its manifest.
#include <QBuffer>
#include <cstddef>
#include <cstdint>

#include "documents/office_xml.h"
#include "fuzz/fuzz_input.h"

using namespace hearth;
using namespace hearth::ui;

namespace {

constexpr qsizetype kMost = 2000;  // small, so that texts end in it

void check(DocumentTrouble (*read)(QIODevice&, TextGatherer&), const QByteArray& xml) {
    QBuffer device;
    device.setData(xml);
    FUZZ_CHECK(device.open(QIODevice::ReadOnly));
    TextGatherer out(kMost);
    const DocumentTrouble trouble = read(device, out);
    FUZZ_CHECK(trouble == DocumentTrouble::None || trouble == DocumentTrouble::Damaged);
    const DocumentText text = out.take();
    FUZZ_CHECK(text.text.size() <= kMost);
    for (const QChar c : text.text) {
        FUZZ_CHECK(c.unicode() >= 0x20 || c == QLatin1Char('\n') || c == QLatin1Char('\t'));
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const unsigned form = input.byte() % 3U;
    const QByteArray xml = QByteArray::fromStdString(input.rest());
    if (form == 0) {
        check(readDocxXml, xml);
    } else if (form == 1) {
        check(readOdtXml, xml);
    } else {
        QBuffer device;
        device.setData(xml);
        FUZZ_CHECK(device.open(QIODevice::ReadOnly));
        manifestSaysEncrypted(device);
    }
    return 0;
}
