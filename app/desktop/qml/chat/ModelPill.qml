import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The answering model: a dot for its state, its name, and a menu to open another one.
Basic.AbstractButton {
    id: pill

    required property ActiveModel model
    required property ModelLibrary library
    required property RemoteServers remote

    signal openAsked()
    signal modelsAsked()
    signal remoteAsked()
    signal mapAsked()

    readonly property string phase: model.state
    readonly property int percent: Math.round(model.progress * 100)

    implicitHeight: Theme.control
    implicitWidth: Math.min(contentItem.implicitWidth + leftPadding + rightPadding, 330)
    leftPadding: Theme.medium
    rightPadding: Theme.small + 2
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    text: phase === "loading" ? qsTr("Opening %1").arg(model.modelName)
        : phase === "ready" ? model.modelName
        : phase === "failed" ? qsTr("Model not opened") : qsTr("No model")
    onClicked: menu.popup(pill, pill.width - menu.width, pill.height + 4)

    Accessible.role: Accessible.ButtonMenu
    Accessible.name: qsTr("Model: %1").arg(text)
    Accessible.description: phase === "loading" ? qsTr("%1 percent").arg(percent)
        : phase === "failed" ? model.errorText : model.detail
    Accessible.onPressAction: pill.clicked()
    Keys.onReturnPressed: pill.clicked()
    Keys.onEnterPressed: pill.clicked()
    Keys.onDownPressed: pill.clicked()

    background: Rectangle {
        radius: height / 2
        color: pill.down ? Theme.pressed : pill.hovered ? Theme.hover : Theme.surface
        border.width: 1
        border.color: Theme.border

        Item {
            visible: pill.phase === "loading"
            anchors.bottom: parent.bottom
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.leftMargin: parent.radius
            anchors.rightMargin: parent.radius
            anchors.bottomMargin: 3
            height: 2

            Rectangle {
                objectName: "loadProgress"
                x: Theme.at(0, width, parent.width)
                width: parent.width * Math.max(0.03, Math.min(1, pill.model.progress))
                height: 2
                radius: 1
                color: Theme.accent
            }
        }

        FocusRing {
            shown: pill.visualFocus
        }
    }

    contentItem: Item {
        implicitWidth: dot.width + arrow.width + 2 * Theme.small
            + Math.ceil(whole.advanceWidth) + 1
        implicitHeight: label.implicitHeight

        Rectangle {
            id: dot

            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            width: 8
            height: 8
            radius: 4
            color: pill.phase === "ready" && pill.model.host !== "" ? Theme.warningText
                : pill.phase === "ready" ? Theme.success
                : pill.phase === "loading" ? Theme.accent
                : pill.phase === "failed" ? Theme.errorText : Theme.controlBorder
        }

        Text {
            id: label

            readonly property real room: pill.availableWidth - dot.width - arrow.width
                - 2 * Theme.small

            anchors.left: dot.right
            anchors.leftMargin: Theme.small
            anchors.right: arrow.left
            anchors.rightMargin: Theme.small
            anchors.verticalCenter: parent.verticalCenter
            // Cut in its middle, "not local" could read as "local".
            text: pill.model.host !== "" && room < Math.ceil(whole.advanceWidth)
                ? qsTr("not local") : pill.text
            textFormat: Text.PlainText
            elide: pill.model.host === "" ? Text.ElideMiddle : Text.ElideRight
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.Medium
            color: Theme.text
        }

        TextMetrics {
            id: whole

            font: label.font
            text: pill.text
        }

        Icon {
            id: arrow

            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            name: "chevronDown"
            size: 13
            color: Theme.textMuted
        }
    }

    AppToolTip {
        text: pill.phase === "ready" ? pill.model.detail
            : pill.phase === "failed" ? pill.model.errorText : pill.text
        visible: text !== "" && !menu.visible && (pill.hovered || pill.visualFocus)
    }

    // What it asks for is called once it is closed and has given the keyboard back.
    AppMenu {
        id: menu

        width: 320
        onClosed: pill.forceActiveFocus()

        Basic.MenuItem {
            id: about

            // The running model, to read; not a choice.
            enabled: false
            padding: 10
            Accessible.role: Accessible.StaticText
            Accessible.name: pill.text + ". " + pill.model.detail

            background: null
            contentItem: Column {
                spacing: 4

                Text {
                    width: parent.width
                    text: pill.text
                    textFormat: Text.PlainText
                    wrapMode: Text.Wrap
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontSmall
                    font.weight: Font.DemiBold
                    color: Theme.text
                }

                Text {
                    width: parent.width
                    visible: text !== ""
                    text: pill.phase === "failed" ? pill.model.errorText : pill.model.detail
                    textFormat: Text.PlainText
                    wrapMode: Text.Wrap
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontTiny
                    color: pill.phase === "failed" ? Theme.errorText : Theme.textMuted
                }

                Text {
                    width: parent.width
                    visible: text !== ""
                    text: pill.model.host === "" ? pill.model.path
                        : qsTr("Words go to %1.").arg(pill.model.host)
                    textFormat: Text.PlainText
                    elide: Text.ElideMiddle
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontTiny
                    color: Theme.textMuted
                }
            }
        }
        AppMenuLine { }
        Instantiator {
            // Recently used models, without the open one.
            model: pill.library.recent.concat(pill.remote.recent)  // qmllint disable
                .filter(entry => entry.path !== pill.model.path)

            delegate: AppMenuItem {
                required property var modelData

                objectName: "recentModel"
                text: modelData.name
                iconName: "model"
                Accessible.name: qsTr("Use %1").arg(text)
                onTriggered: pill.model.openPath(modelData.path)
            }

            onObjectAdded: (index, object) => menu.insertItem(2 + index, object as AppMenuItem)
            onObjectRemoved: (index, object) => menu.removeItem(object as AppMenuItem)
        }
        AppMenuItem {
            objectName: "allModels"
            text: qsTr("All models…")
            iconName: "sliders"
            hint: qsTr("Ctrl+M")
            onTriggered: Qt.callLater(pill.modelsAsked)  // qmllint disable
        }
        AppMenuItem {
            objectName: "openModel"
            text: qsTr("Open a model…")
            iconName: "folder"
            hint: qsTr("Ctrl+O")
            onTriggered: Qt.callLater(pill.openAsked)  // qmllint disable
        }
        AppMenuItem {
            objectName: "mapItem"
            text: qsTr("Neuron map")
            iconName: "layers"
            hint: qsTr("Ctrl+Shift+M")
            onTriggered: Qt.callLater(pill.mapAsked)  // qmllint disable
        }
        AppMenuItem {
            text: qsTr("Load it again")
            iconName: "refresh"
            enabled: pill.phase !== "empty" && pill.model.path !== "" && pill.model.host === ""
            onTriggered: pill.model.reload()
        }
        AppMenuItem {
            objectName: "remoteModels"
            text: qsTr("Remote models…")
            iconName: "globe"
            onTriggered: Qt.callLater(pill.remoteAsked)  // qmllint disable
        }
    }
}
