import QtQuick
import Hearth

// One model of a repository: a file, or all files of a split one.
Item {
    id: row

    required property int index
    property HubSearch hub
    property var file
    property var forecast: ({})  // from ModelOffers, if it was asked for
    readonly property bool asking: forecast.state === "asking"
    readonly property string found: row.hub.states[index] ?? ""
    readonly property bool narrow: width < 440 * Theme.zoom

    signal forecastAsked()
    signal forecastStopped()

    objectName: "hubFile"
    implicitHeight: body.implicitHeight + 2 * Theme.small + Theme.tiny
        + (narrow ? buttons.implicitHeight + Theme.small : 0)

    Accessible.role: Accessible.ListItem
    Accessible.name: row.file.title + ". " + row.file.facts
        + (row.file.warning === "" ? "" : ". " + row.file.warning)

    Rectangle {
        width: parent.width
        height: parent.height - Theme.tiny
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: 1
        border.color: Theme.border
    }

    Column {
        id: body

        x: Theme.at(Theme.medium, width, parent.width)
        y: Theme.small
        width: parent.width - 2 * Theme.medium - (row.narrow ? 0 : buttons.width + Theme.small)
        spacing: 2

        Text {
            width: parent.width
            text: row.file.title
            textFormat: Text.PlainText
            wrapMode: Text.WrapAnywhere
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.ignored: true
        }
        Text {
            width: parent.width
            text: row.file.facts
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.ignored: true
        }
        Text {
            objectName: "hubWarning"
            width: parent.width
            visible: text !== ""
            text: row.file.warning
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.warningText
            Accessible.ignored: true
        }
        OfferForecast {
            width: parent.width
            check: row.forecast
        }
    }

    Row {
        id: buttons

        x: Theme.at(row.narrow ? Theme.medium : parent.width - width - Theme.medium, width, parent.width)
        y: row.narrow ? body.y + body.height + Theme.small
            : Math.round((parent.height - Theme.tiny - height) / 2)
        spacing: Theme.tiny

        IconButton {
            objectName: "forecastHubFile"
            anchors.verticalCenter: parent.verticalCenter
            iconName: row.asking ? "stop" : "info"
            text: row.asking ? qsTr("Stop looking") : qsTr("How would it run here?")
            Accessible.name: row.asking ? qsTr("Stop looking at %1").arg(row.file.title)
                : qsTr("How would %1 run on this computer?").arg(row.file.title)
            onClicked: {
                if (row.asking) {
                    row.forecastStopped()
                } else {
                    row.forecastAsked()
                }
            }
        }
        AppButton {
            objectName: "getHubFile"
            anchors.verticalCenter: parent.verticalCenter
            enabled: row.found === ""
            kind: row.file.warning === "" ? "plain" : "quiet"
            text: row.found === "here" ? qsTr("On this computer")
                : row.found === "coming" ? qsTr("Among the downloads")
                : row.file.warning === "" ? qsTr("Download") : qsTr("Download anyway")
            Accessible.name: row.found === "" ? qsTr("%1: %2, %3").arg(text).arg(row.file.title)
                .arg(row.file.facts) : text
            onClicked: row.hub.get(row.index)
        }
    }
}
