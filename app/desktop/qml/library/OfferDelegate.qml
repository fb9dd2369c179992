import QtQuick
import Hearth

// One model that can be downloaded.
Item {
    id: row

    required property ModelOffers offers
    required property var offer
    required property int index
    readonly property string found: offers.states[index] ?? ""
    readonly property var check: offers.checks[index] ?? ({})
    readonly property bool asking: check.state === "asking"
    readonly property string missing: offer.missing ?? ""

    objectName: "offerRow"
    implicitHeight: body.implicitHeight + 2 * Theme.medium + Theme.small

    Accessible.role: Accessible.ListItem
    Accessible.name: [row.offer.title, row.offer.facts, row.offer.about, row.missing]
        .filter(text => text !== "").join(". ")

    Rectangle {
        width: parent.width
        height: parent.height - Theme.small
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: 1
        border.color: Theme.border
    }

    Column {
        id: body

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * x
        spacing: Theme.tiny + 2

        Text {
            width: parent.width
            text: row.offer.title
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontBody
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.ignored: true
        }
        Text {
            width: parent.width
            text: row.offer.facts
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.ignored: true
        }
        Text {
            width: parent.width
            text: row.offer.about
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.text
            Accessible.ignored: true
        }
        Text {
            objectName: "offerMissing"
            width: parent.width
            visible: text !== ""
            text: row.missing
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.warningText
            Accessible.ignored: true
        }
        OfferForecast {
            width: parent.width
            check: row.check
        }
        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "getOffer"
                enabled: row.found === ""
                kind: row.missing === "" ? "plain" : "quiet"
                text: row.found === "here" ? qsTr("On this computer")
                    : row.found === "coming" ? qsTr("Among the downloads")
                    : row.missing === "" ? qsTr("Download") : qsTr("Download anyway")
                Accessible.name: row.found === "" ? qsTr("%1: %2, %3").arg(text)
                    .arg(row.offer.title).arg(row.offer.facts) : text
                onClicked: row.offers.get(row.index)
            }
            AppButton {
                objectName: "checkOffer"
                kind: "quiet"
                visible: row.found === ""
                text: row.asking ? qsTr("Cancel") : qsTr("How would it run here?")
                Accessible.name: row.asking ? qsTr("Stop looking at %1").arg(row.offer.title)
                    : qsTr("How would %1 run on this computer?").arg(row.offer.title)
                Accessible.description: row.asking ? ""
                    : qsTr("Asks the server for the first megabytes of the file.")
                onClicked: row.asking ? row.offers.cancelCheck() : row.offers.check(row.index)
            }
        }
    }
}
