import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The models on this computer: to use, to look at, to delete.
AppDialog {
    id: dialog

    required property ModelLibrary library
    required property ActiveModel model
    required property ModelPacking packing

    signal openAsked()
    signal remoteAsked()
    signal offersAsked()
    signal packingAsked()

    title: qsTr("Models")
    width: Math.min(Math.round(760 * Math.max(1, Theme.zoom)),
        (parent ? parent.width : 760) - 2 * Theme.large)
    first: search

    onAboutToShow: library.open()

    AppTextField {
        id: search

        objectName: "searchModels"
        width: parent.width
        name: qsTr("Search the models")
        placeholderText: name
        iconName: "search"
        onTextChanged: dialog.library.list.search = text
        Keys.onDownPressed: {
            list.currentIndex = Math.max(0, list.currentIndex)
            list.forceActiveFocus(Qt.TabFocusReason)
        }
        Keys.onEscapePressed: event => {
            event.accepted = text !== ""
            text = ""
        }
    }

    Banner {
        objectName: "modelsSaid"
        width: parent.width
        visible: dialog.library.said !== ""
        kind: "info"
        text: dialog.library.said
        actionText: dialog.library.canUndo ? qsTr("Undo") : ""
        onActed: dialog.library.undoRemove()
        onClosed: dialog.library.dismissSaid()
    }

    PackingCard {
        objectName: "packingCard"
        width: parent.width
        visible: runs || packing.state === "interrupted"
        packing: dialog.packing
        onShown: dialog.packingAsked()
    }

    Column {
        objectName: "noModels"
        width: parent.width
        visible: list.count === 0 && !dialog.library.looking
        topPadding: Theme.large
        bottomPadding: Theme.large
        spacing: Theme.medium

        Icon {
            anchors.horizontalCenter: parent.horizontalCenter
            name: "model"
            size: 34
            color: Theme.textMuted
        }
        Text {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: dialog.library.count > 0 ? qsTr("No model matches these words.")
                : qsTr("No model was found yet. Add the folder with your models; Hearth uses them "
                       + "there and copies nothing.")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            lineHeight: 1.2
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
    }

    ListView {
        id: list

        objectName: "modelList"
        width: parent.width
        height: Math.min(contentHeight,
            Math.max(180, (dialog.parent ? dialog.parent.height : 640) - 330))
        visible: count > 0
        clip: contentHeight > height
        keyNavigationEnabled: true
        highlightFollowsCurrentItem: false
        boundsBehavior: Flickable.StopAtBounds
        model: dialog.library.list
        Basic.ScrollBar.vertical: AppScrollBar { }

        Accessible.role: Accessible.List
        Accessible.name: dialog.title

        onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)

        FollowFocus {
            view: list
        }

        delegate: ModelDelegate {
            width: ListView.view.width - (list.contentHeight > list.height ? Theme.medium : 0)
            library: dialog.library
            onUsed: path => {
                dialog.model.openPath(path)
                dialog.close()
            }
            onPrepareAsked: path => {
                dialog.packing.consider(path)
                dialog.packingAsked()
            }
        }
    }

    Text {
        objectName: "modelProblems"
        width: parent.width
        visible: text !== ""
        text: dialog.library.problems.slice(0, 3).join("\n")  // qmllint disable
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    ModelFolders {
        width: parent.width
        library: dialog.library
        onAddAsked: {
            folders.active = true
            const picker = folders.item as FilePicker
            picker.ask("")
        }
    }

    Flow {
        width: parent.width
        spacing: Theme.small
        layoutDirection: Qt.RightToLeft

        AppButton {
            objectName: "closeModels"
            text: qsTr("Close")
            onClicked: dialog.close()
        }
        AppButton {
            objectName: "openOne"
            iconName: "folder"
            text: qsTr("Open a file…")
            onClicked: {
                dialog.close()
                dialog.openAsked()
            }
        }
        AppButton {
            objectName: "remoteOnes"
            iconName: "globe"
            text: qsTr("Remote models…")
            onClicked: {
                dialog.close()
                dialog.remoteAsked()
            }
        }
        AppButton {
            objectName: "getModel"
            iconName: "plus"
            text: qsTr("Get a model…")
            onClicked: {
                dialog.close()
                dialog.offersAsked()
            }
        }
        AppButton {
            objectName: "lookAgain"
            iconName: "refresh"
            enabled: !dialog.library.looking
            text: dialog.library.looking ? qsTr("Looking…") : qsTr("Look again")
            onClicked: dialog.library.look()
        }
    }

    Loader {
        id: folders

        active: false
        sourceComponent: FilePicker {
            objectName: "modelFolderPicker"
            title: qsTr("Add a folder with models")
            action: qsTr("Add this folder")
            suffixes: []
            onChosen: path => dialog.library.addPlace(path)
        }
    }
}
