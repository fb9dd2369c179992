import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// One model: its name and facts, whether it fits, and its buttons.
FocusScope {
    id: row

    required property ModelLibrary library
    required property int index
    required property string path
    required property string title
    required property string summary
    required property string place
    required property string ownedBy
    required property bool runs
    required property string whyNot
    required property string fit
    required property string fitText
    required property bool current
    required property bool asks
    required property bool asksInput
    required property var details
    required property bool prepares

    property bool unfolded: false
    readonly property bool chosen: ListView.isCurrentItem

    signal used(path: string)
    signal prepareAsked(path: string)

    objectName: "modelRow"
    implicitHeight: card.height + Theme.small

    onActiveFocusChanged: {
        if (activeFocus) {
            ListView.view.currentIndex = index
        } else if (Window.active) {
            self.focus = true  // a returning keyboard begins at the row, not at the last button
        }
    }

    Keys.onPressed: event => {
        if (event.isAutoRepeat) {
            return
        }
        if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter) {
            event.accepted = true
            if (row.runs && !row.current) {
                row.used(row.path)
            }
        } else if (event.key === Qt.Key_Space) {
            event.accepted = true
            row.unfolded = !row.unfolded
        } else if (event.key === Qt.Key_Delete) {
            event.accepted = true
            row.library.remove(row.path)
        }
    }

    Rectangle {
        id: card

        width: parent.width
        height: body.implicitHeight + 2 * Theme.medium
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: 1
        border.color: row.current ? Theme.accent : Theme.border

        FocusRing {
            shown: self.activeFocus
            gap: -1  // the list would cut a wider ring
        }

        TapHandler {
            onTapped: row.ListView.view.currentIndex = row.index
        }
    }

    // Has the keyboard focus when it is on the row itself. Arrows choose the row; Tab comes here and goes on
    // to the buttons of this row alone.
    Item {
        id: self

        objectName: "modelItself"
        anchors.fill: card
        focus: true
        activeFocusOnTab: row.chosen || activeFocus

        Accessible.role: Accessible.ListItem
        Accessible.name: [row.title, row.current ? qsTr("open now") : "", row.summary, row.place,
            row.whyNot === "" ? row.fitText : row.whyNot].filter(text => text !== "").join(". ")  // qmllint disable
        Accessible.focusable: true
        Accessible.focused: activeFocus
    }

    Column {
        id: body

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * x
        spacing: Theme.tiny + 2

        Item {
            id: head

            // In a narrow window a name gets its own line, if it needs one.
            readonly property bool apart: row.width < 520
                && heading.implicitWidth > width - buttons.width - Theme.small

            width: parent.width
            implicitHeight: apart ? heading.implicitHeight + Theme.tiny + buttons.implicitHeight
                : Math.max(heading.implicitHeight, buttons.implicitHeight)

            Text {
                id: heading

                x: Theme.at(0, width, parent.width)
                y: head.apart ? 0 : Math.round((parent.height - height) / 2)
                width: head.apart ? parent.width : parent.width - buttons.width - Theme.small
                text: row.title
                textFormat: Text.PlainText
                elide: Text.ElideMiddle
                font.family: Theme.sans
                font.pixelSize: Theme.fontBody
                font.weight: Font.DemiBold
                color: row.runs ? Theme.text : Theme.textMuted
                Accessible.ignored: true
            }

            Row {
                id: buttons

                x: Theme.at(parent.width - width, width, parent.width)
                y: head.apart ? parent.height - height : Math.round((parent.height - height) / 2)
                spacing: Theme.tiny

                Text {
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.current
                    rightPadding: Theme.small
                    text: qsTr("Open now")
                    textFormat: Text.PlainText
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontSmall
                    color: Theme.accentText
                    Accessible.ignored: true
                }
                AppButton {
                    objectName: "useModel"
                    activeFocusOnTab: row.chosen || activeFocus
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.runs && !row.current
                    text: qsTr("Use")
                    Accessible.name: qsTr("Use %1").arg(row.title)
                    onClicked: row.used(row.path)
                }
                IconButton {
                    objectName: "modelDetails"
                    activeFocusOnTab: row.chosen || activeFocus
                    anchors.verticalCenter: parent.verticalCenter
                    iconName: row.unfolded ? "chevronDown" : "chevronRight"
                    text: row.unfolded ? qsTr("Hide details") : qsTr("Details")
                    Accessible.name: qsTr("%1 of %2").arg(text).arg(row.title)
                    onClicked: row.unfolded = !row.unfolded
                }
                IconButton {
                    objectName: "showModelFolder"
                    activeFocusOnTab: row.chosen || activeFocus
                    anchors.verticalCenter: parent.verticalCenter
                    iconName: "folder"
                    text: qsTr("Show in folder")
                    Accessible.name: qsTr("Show %1 in its folder").arg(row.title)
                    onClicked: row.library.showInFolder(row.path)
                }
                IconButton {
                    objectName: "deleteModel"
                    activeFocusOnTab: row.chosen || activeFocus
                    anchors.verticalCenter: parent.verticalCenter
                    iconName: "trash"
                    inkHover: Theme.errorText
                    text: row.ownedBy === "" ? qsTr("Move to the bin") : qsTr("Take it off the list")
                    hint: qsTr("Del")
                    Accessible.name: row.ownedBy === "" ? qsTr("Move %1 to the bin").arg(row.title)
                        : qsTr("Take %1 off the list").arg(row.title)
                    onClicked: row.library.remove(row.path)
                }
            }
        }

        Text {
            width: parent.width
            text: row.summary + " · " + row.place
            textFormat: Text.PlainText
            elide: Text.ElideRight
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.ignored: true
        }

        Row {
            width: parent.width
            spacing: Theme.small
            visible: verdict.text !== ""

            Rectangle {
                anchors.verticalCenter: parent.verticalCenter
                visible: row.whyNot === ""
                width: 8
                height: 8
                radius: 4
                color: row.fit === "fits" ? Theme.success
                    : row.fit === "cannot" ? Theme.errorText : Theme.accent
            }

            Text {
                id: verdict

                objectName: "modelVerdict"
                width: parent.width - (row.whyNot === "" ? 16 : 0)
                text: row.whyNot === "" ? row.fitText : row.whyNot
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: row.whyNot !== "" || row.fit === "cannot" ? Theme.errorText : Theme.text
                Accessible.ignored: true
            }
        }

        Flow {
            width: parent.width
            visible: row.asks
            spacing: Theme.small

            Text {
                width: Math.min(implicitWidth, parent.width)
                text: qsTr("Is this a ReLU model? The file does not say, and with the wrong choice the"
                           + " model writes nonsense.")
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            AppButton {
                objectName: "isRelu"
                width: Math.min(implicitWidth, parent.width)
                activeFocusOnTab: row.chosen || activeFocus
                text: qsTr("Yes, ReLU")
                Accessible.name: qsTr("%1 is a ReLU model").arg(row.title)
                onClicked: row.library.answerActivation(row.path, "reglu")
            }
            AppButton {
                objectName: "isSilu"
                width: Math.min(implicitWidth, parent.width)
                activeFocusOnTab: row.chosen || activeFocus
                kind: "quiet"
                text: qsTr("No, an ordinary one")
                Accessible.name: qsTr("%1 is an ordinary model").arg(row.title)
                onClicked: row.library.answerActivation(row.path, "silu")
            }
        }

        Flow {
            width: parent.width
            visible: row.asksInput
            spacing: Theme.small

            Text {
                width: Math.min(implicitWidth, parent.width)
                text: qsTr("What do the predictors of this model read? Their file does not say; "
                    + "its page may. It matters for the mode “Predicted” alone.")
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            AppButton {
                objectName: "readsResidual"
                width: Math.min(implicitWidth, parent.width)
                activeFocusOnTab: row.chosen || activeFocus
                text: qsTr("The residual stream, as PowerInfer’s do")
                Accessible.name: qsTr("The predictors of %1 read the residual stream").arg(row.title)
                onClicked: row.library.answerPredictorInput(row.path, "residual")
            }
            AppButton {
                objectName: "readsNormed"
                width: Math.min(implicitWidth, parent.width)
                activeFocusOnTab: row.chosen || activeFocus
                kind: "quiet"
                text: qsTr("The normed input")
                Accessible.name: qsTr("The predictors of %1 read the normed input").arg(row.title)
                onClicked: row.library.answerPredictorInput(row.path, "normed")
            }
        }

        Column {
            width: parent.width
            visible: row.unfolded
            topPadding: Theme.tiny
            spacing: Theme.tiny

            AppButton {
                objectName: "prepareModel"
                width: Math.min(implicitWidth, parent.width)
                activeFocusOnTab: row.chosen || activeFocus
                visible: row.prepares
                text: qsTr("Prepare for this computer…")
                Accessible.name: qsTr("Prepare %1 for this computer").arg(row.title)
                onClicked: row.prepareAsked(row.path)
            }

            Repeater {
                model: row.unfolded ? row.details : []

                delegate: Item {
                    id: detail

                    required property var modelData

                    width: body.width
                    implicitHeight: Math.max(label.implicitHeight, value.implicitHeight)

                    Accessible.role: Accessible.StaticText
                    Accessible.name: detail.modelData.label + ": " + detail.modelData.value

                    Text {
                        id: label

                        x: Theme.at(0, width, parent.width)
                        width: Math.round(120 * Theme.zoom)
                        text: detail.modelData.label
                        textFormat: Text.PlainText
                        wrapMode: Text.Wrap
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontSmall
                        color: Theme.textMuted
                        Accessible.ignored: true
                    }
                    Text {
                        id: value

                        x: Theme.at(label.width + Theme.small, width, parent.width)
                        width: parent.width - label.width - Theme.small
                        text: detail.modelData.value
                        textFormat: Text.PlainText
                        wrapMode: Text.Wrap
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontSmall
                        color: Theme.text
                        Accessible.ignored: true
                    }
                }
            }
        }
    }
}
