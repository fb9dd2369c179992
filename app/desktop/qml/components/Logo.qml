import QtQuick
import Hearth

// The flame of Hearth.
Icon {
    name: "flame"
    color: Theme.accent
    fill: Theme.accentSoft
    size: 24
    strokeWidth: 1.8
}
