#include "demo_hub.h"

namespace hearth::ui::demo {

QByteArray hubAnswer(const QByteArray& path) {
    const char* answer = "";
    if (path == "/api/models") {
        answer =
            "[{'id':'Org/Small-Chat-1B-GGUF','downloads':412345,'gated':false,"
            "'tags':['gguf','license:apache-2.0']},"
            "{'id':'a-maker-with-a-long-name/A-model-that-has-an-even-longer-name-Instruct-GGUF',"
            "'downloads':98210,'gated':'manual','tags':['license:llama3.2']},"
            "{'id':'somebody/gone'}]";
    } else if (path == "/api/models/Org/Small-Chat-1B-GGUF") {
        answer =
            "{'id':'Org/Small-Chat-1B-GGUF','sha':'0123456789012345678901234567890123456789',"
            "'cardData':{'license':'apache-2.0'},'siblings':[{'rfilename':'README.md','size':9},"
            "{'rfilename':'Small-Chat-1B-Q4_0.gguf','size':773025824},"
            "{'rfilename':'Small-Chat-1B-Q4_K_M.gguf','size':807694464},"
            "{'rfilename':'Small-Chat-1B-Q8_0.gguf','size':1321083008},"
            "{'rfilename':'Small-Chat-1B-f16-00001-of-00002.gguf','size':1241000000},"
            "{'rfilename':'Small-Chat-1B-f16-00002-of-00002.gguf','size':1240000000}]}";
    } else if (path.startsWith("/api/models/a-maker-with-a-long-name/")) {
        answer =
            "{'gated':'manual','cardData':{'license':'llama3.2'},'siblings':["
            "{'rfilename':'A-model-that-has-an-even-longer-name-Instruct.Q4_0.gguf',"
            "'size':4100000000},{'rfilename':'../../evil.gguf'}]}";
    }
    return QByteArray(answer).replace('\'', '"');
}

}  // namespace hearth::ui::demo
