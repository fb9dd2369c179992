import QtQuick
import Hearth

AppDialog {
    id: dialog

    required property var app

    title: qsTr("Hearth %1").arg(app.version)

    AboutText {
        width: parent.width
        app: dialog.app
    }
}
