import QtQuick
import Hearth

// Models to download: the catalogue, or the address of a file.
AppDialog {
    id: dialog

    required property ModelOffers offers
    required property HubSearch hub

    signal downloadsAsked()

    title: qsTr("Get a model")
    width: Math.min(Math.round(640 * Math.max(1, Theme.zoom)),
        (parent ? parent.width : 640) - 2 * Theme.large)
    first: hubSearch.field

    readonly property bool askingForAddress: offers.addressCheck.state === "asking"  // qmllint disable

    onAboutToShow: {
        offers.look()
        hub.look()
    }
    onAboutToHide: offers.cancelCheck()

    function getAddress(): void {
        if (offers.getAddress(address.text)) {
            address.clear()
            dialog.close()
            dialog.downloadsAsked()
        }
    }

    Text {
        width: parent.width
        text: qsTr("Downloads go to %1. Hearth makes no request before you press a button. A forecast "
                   + "fetches the first megabytes of a file.").arg(dialog.offers.folder)
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    HubSearchView {
        id: hubSearch

        width: parent.width
        hub: dialog.hub
        offers: dialog.offers
    }

    Row {
        width: parent.width
        visible: !hubSearch.active
        spacing: Theme.small

        AppTextField {
            id: address

            objectName: "offerAddress"
            width: parent.width - getButton.width - parent.spacing
            name: qsTr("Address of a .gguf file")
            placeholderText: name
            maximumLength: 2000
            wrong: dialog.offers.said !== ""
            onTextEdited: dialog.offers.forgetAddress()
            onAccepted: dialog.getAddress()
        }
        AppButton {
            id: getButton

            objectName: "getAddress"
            text: qsTr("Download")
            enabled: address.text !== ""
            Accessible.name: qsTr("Download from this address")
            onClicked: dialog.getAddress()
        }
    }

    AppButton {
        objectName: "checkAddress"
        kind: "quiet"
        visible: address.text !== "" && !hubSearch.active
        text: dialog.askingForAddress ? qsTr("Cancel") : qsTr("How would it run here?")
        Accessible.name: dialog.askingForAddress ? qsTr("Stop looking at this address")
            : qsTr("How would the model at this address run on this computer?")
        onClicked: dialog.askingForAddress ? dialog.offers.cancelCheck()
            : dialog.offers.checkAddress(address.text)
    }

    OfferForecast {
        objectName: "addressForecast"
        width: parent.width
        check: hubSearch.active ? ({}) : dialog.offers.addressCheck
    }

    Text {
        objectName: "offersSaid"
        width: parent.width
        visible: text !== "" && !hubSearch.active
        text: dialog.offers.said
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Column {
        id: suggested

        readonly property int row: dialog.offers.suggested
        readonly property string found: dialog.offers.states[row] ?? ""

        width: parent.width
        visible: !hubSearch.active && row >= 0
        spacing: Theme.small

        Text {
            objectName: "suggestion"
            width: parent.width
            text: dialog.offers.suggestion
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontBody
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        AppButton {
            objectName: "getSuggested"
            kind: "primary"
            enabled: suggested.found === ""
            text: suggested.found === "here" ? qsTr("On this computer")
                : suggested.found === "coming" ? qsTr("Among the downloads")
                : qsTr("Download it")
            Accessible.name: suggested.found === ""
                ? qsTr("Download the model for this computer") : text
            // A button that becomes disabled would keep the keyboard from everything.
            onClicked: {
                if (dialog.offers.get(suggested.row)) {
                    hubSearch.field.forceActiveFocus()
                }
            }
        }
    }

    Column {
        width: parent.width
        visible: !hubSearch.active

        Repeater {
            model: dialog.offers.list

            delegate: OfferDelegate {
                required property var modelData

                width: parent ? parent.width : 0
                offers: dialog.offers
                offer: modelData
            }
        }
    }

    Flow {
        width: parent.width
        spacing: Theme.small
        layoutDirection: Qt.RightToLeft

        AppButton {
            objectName: "closeOffers"
            text: qsTr("Close")
            onClicked: dialog.close()
        }
        AppButton {
            objectName: "offersToDownloads"
            kind: "quiet"
            text: qsTr("Downloads")
            onClicked: {
                dialog.close()
                dialog.downloadsAsked()
            }
        }
    }
}
