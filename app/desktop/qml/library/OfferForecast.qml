import QtQuick
import Hearth

// The forecast of a model that is not on this computer, once somebody asked for it.
Column {
    id: forecast

    required property var check  // from ModelOffers: {state, fit, text, facts}
    readonly property string stage: check.state ?? ""
    readonly property bool known: stage === "known"
    readonly property string says: stage === "asking"
        ? qsTr("Reading the beginning of the file, and planning with it…") : check.text ?? ""

    visible: stage !== ""
    spacing: Theme.tiny + 2

    Row {
        width: parent.width
        spacing: Theme.small

        Rectangle {
            y: Math.round((words.implicitHeight / Math.max(1, words.lineCount) - height) / 2)
            visible: forecast.known
            width: 8
            height: 8
            radius: 4
            color: forecast.check.fit === "fits" ? Theme.success
                : forecast.check.fit === "cannot" ? Theme.errorText : Theme.accent
        }
        Text {
            id: words

            objectName: "offerVerdict"
            width: parent.width - (forecast.known ? 8 + Theme.small : 0)
            text: forecast.says
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: forecast.known ? Font.Medium : Font.Normal
            color: forecast.stage === "wrong" || forecast.check.fit === "cannot" ? Theme.errorText
                : forecast.known ? Theme.text : Theme.textMuted
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
    }
    Text {
        objectName: "offerHeader"
        width: parent.width
        visible: forecast.known && text !== ""
        text: forecast.check.facts ?? ""
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
