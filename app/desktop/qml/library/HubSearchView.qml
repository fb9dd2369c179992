import QtQuick
import Hearth

// The search of the model hub: words, the repositories found for them, the files of one.
Column {
    id: view

    required property HubSearch hub
    required property ModelOffers offers  // forecasts a file
    property int forecastOf: -1  // the file
    readonly property bool inside: hub.repository !== ""
    readonly property bool active: hub.searched || hub.busy || hub.wrong !== ""
    readonly property alias field: words

    spacing: Theme.medium

    onInsideChanged: {
        view.forecastOf = -1
        view.offers.cancelCheck()
        const next = inside ? backButton : words
        next.forceActiveFocus(Qt.TabFocusReason)
    }

    Row {
        width: parent.width
        spacing: Theme.small

        AppTextField {
            id: words

            objectName: "hubWords"
            width: parent.width - go.width - parent.spacing
            name: qsTr("Search %1").arg(view.hub.host)
            placeholderText: name
            iconName: "search"
            maximumLength: 200
            onAccepted: view.hub.search(text)
            Keys.onEscapePressed: event => {
                event.accepted = text !== "" || view.active
                text = ""
                view.hub.clear()
            }
        }
        AppButton {
            id: go

            objectName: "hubGo"
            enabled: view.hub.busy || words.text !== ""
            text: view.hub.busy ? qsTr("Stop") : qsTr("Search")
            Accessible.name: view.hub.busy ? qsTr("Stop asking %1").arg(view.hub.host) : words.name
            onClicked: {
                if (view.hub.busy) {
                    view.hub.stop()
                } else {
                    view.hub.search(words.text)
                }
            }
        }
    }

    Column {
        width: parent.width
        visible: view.inside
        spacing: Theme.small

        AppButton {
            id: backButton

            objectName: "hubBack"
            kind: "quiet"
            iconName: "chevronLeft"
            text: qsTr("Back to the results")
            onClicked: view.hub.back()
        }
        Text {
            width: parent.width
            text: view.hub.repository
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontBody
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Text {
            objectName: "hubTerms"
            width: parent.width
            text: view.hub.terms
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        AppButton {
            objectName: "hubPage"
            iconName: "globe"
            text: qsTr("Its page, in the browser")
            Accessible.name: qsTr("Open %1 in the browser").arg(view.hub.page)
            onClicked: Qt.openUrlExternally(view.hub.page)
        }
    }

    Text {
        objectName: "hubWrong"
        width: parent.width
        visible: text !== ""
        text: view.hub.wrong
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
    Text {
        objectName: "hubLine"
        width: parent.width
        visible: text !== ""
        text: view.hub.busy ? qsTr("Asking %1…").arg(view.hub.host) : view.hub.line
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Column {
        width: parent.width
        visible: !view.inside && view.hub.searched

        Repeater {
            model: view.inside ? [] : view.hub.models

            delegate: HubModelDelegate {
                required property var modelData

                width: parent ? parent.width : 0
                found: modelData
                enabled: !view.hub.busy
                onClicked: view.hub.open(index)
            }
        }
    }

    Column {
        width: parent.width
        visible: view.inside

        Repeater {
            model: view.hub.files

            delegate: HubFileDelegate {
                required property var modelData

                width: parent ? parent.width : 0
                hub: view.hub
                file: modelData
                forecast: view.forecastOf === index ? view.offers.addressCheck : ({})
                onForecastAsked: {
                    view.forecastOf = index
                    view.offers.checkAddress(modelData.address)
                }
                onForecastStopped: view.offers.cancelCheck()
            }
        }
    }

    AppButton {
        objectName: "hubClear"
        width: Math.min(implicitWidth, parent.width)
        visible: view.active
        kind: "quiet"
        text: qsTr("Back to Hearth's list")
        onClicked: {
            words.clear()
            view.hub.clear()
            words.forceActiveFocus(Qt.TabFocusReason)
        }
    }
}
