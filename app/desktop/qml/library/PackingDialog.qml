import QtQuick
import Hearth

// Prepares a model for this computer: the effect and the cost of that, then its progress.
AppDialog {
    id: dialog

    required property ModelPacking packing

    readonly property string phase: packing.state
    readonly property bool runs: phase === "running" || phase === "stopping"

    signal used(path: string)

    title: qsTr("Prepare for this computer")
    width: Math.min(Math.round(540 * Math.max(1, Theme.zoom)),
        (parent ? parent.width : 540) - 2 * Theme.large)

    onPhaseChanged: {
        if (!visible) {
            return
        }
        // The pressed button may be gone.
        if (phase === "") {
            close()
        } else if (phase === "ready") {
            beginButton.forceActiveFocus(Qt.TabFocusReason)
        } else if (phase === "done") {
            useButton.forceActiveFocus(Qt.TabFocusReason)
        } else {
            closingButton.forceActiveFocus(Qt.TabFocusReason)
        }
    }

    // A preview is forgotten; a packing continues.
    onClosed: packing.dismiss()

    Text {
        width: parent.width
        text: dialog.packing.name
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
        width: parent.width
        visible: dialog.phase !== "done"
        text: qsTr("This model is larger than the memory that it may use, so Hearth reads parts of it "
                   + "from the disk while it answers. This writes a copy in which these parts lie "
                   + "together, which reads faster. Answers stay as good.")
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        lineHeight: 1.2
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    PackingCard {
        width: parent.width
        visible: dialog.phase === "interrupted"
        packing: dialog.packing
    }

    Text {
        objectName: "packingLooks"
        width: parent.width
        visible: dialog.phase === "looking"
        text: qsTr("Finding out the size and the time…")
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Column {
        objectName: "packingFacts"
        width: parent.width
        visible: dialog.phase === "ready" || dialog.runs
        spacing: Theme.small

        Repeater {
            model: dialog.packing.facts

            delegate: Row {
                id: fact

                required property string modelData

                width: parent ? parent.width : 0
                spacing: Theme.small

                Accessible.role: Accessible.StaticText
                Accessible.name: fact.modelData

                Rectangle {
                    y: Math.round((Theme.fontSmall * 1.4 - height) / 2)
                    width: 5
                    height: 5
                    radius: 3
                    color: Theme.accent
                }
                Text {
                    width: parent.width - 5 - parent.spacing
                    text: fact.modelData
                    textFormat: Text.PlainText
                    wrapMode: Text.Wrap
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontSmall
                    color: Theme.textMuted
                    Accessible.ignored: true
                }
            }
        }
    }

    PackingProgress {
        width: parent.width
        visible: dialog.runs
        packing: dialog.packing
    }

    Text {
        objectName: "packingWrong"
        width: parent.width
        visible: text !== ""
        text: dialog.phase === "interrupted" ? "" : dialog.packing.wrong
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }

    Text {
        objectName: "packingDone"
        width: parent.width
        visible: dialog.phase === "done"
        text: qsTr("The copy is ready, and in the list of models: %1").arg(dialog.packing.target)
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }

    Flow {
        width: parent.width
        spacing: Theme.small
        layoutDirection: Qt.RightToLeft

        AppButton {
            id: beginButton

            objectName: "beginPacking"
            kind: "primary"
            visible: dialog.phase === "looking" || dialog.phase === "ready"
            enabled: dialog.phase === "ready"
            text: qsTr("Prepare")
            onClicked: dialog.packing.begin()
        }
        AppButton {
            id: useButton

            objectName: "usePacked"
            kind: "primary"
            visible: dialog.phase === "done"
            text: qsTr("Use it")
            onClicked: {
                dialog.used(dialog.packing.target)
                dialog.close()
            }
        }
        AppButton {
            id: closingButton

            objectName: "closePacking"
            text: dialog.runs ? qsTr("Go on in the background")
                : dialog.phase === "looking" || dialog.phase === "ready" ? qsTr("Cancel")
                : qsTr("Close")
            onClicked: dialog.close()
        }
        AppButton {
            objectName: "stopPacking"
            kind: "quiet"
            visible: dialog.runs
            enabled: dialog.phase === "running"
            text: qsTr("Stop and remove the copy")
            onClicked: dialog.packing.stop()
        }
    }
}
