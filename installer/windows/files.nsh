; How the files of a version get to their places, and away again. Lists say which they are: a name a line, below the
; folder. $1 is the name that a function is about; $0 and $2 to $9 are nobody's.
!include TextFunc.nsh

!define BESIDE "hearth-new"                          ; folder of a version that is not in its place yet
!define LIST "share\hearth\files.txt"                ; of the version that is installed
!define OLDER_LIST "share\hearth\files-older.txt"    ; of those before, while they are replaced
!define LIST_IN_PAYLOAD "share/hearth/files.txt"
!define OWN_LIST "$PLUGINSDIR\files.txt"             ; of this installer's or uninstaller's version

; Does BODY, a macro, for each name in LIST, in $1. A list that is not there has none. A line that leads out of the folder, or
; stands for several files, was not written by us.
!macro ForEachName list body
    ClearErrors
    FileOpen $9 "${list}" r
    ${IfNot} ${Errors}
        ${Do}
            ClearErrors
            FileRead $9 $1
            ${If} ${Errors}
                ${ExitDo}
            ${EndIf}
            ${TrimNewLines} $1 $1
            StrCpy $2 0
            ${DoUntil} $1 == ""
                StrCpy $3 $1 1 $2
                StrCpy $4 $1 2 $2
                ${If} $3 == ""
                    ${ExitDo}
                ${ElseIf} $3 == "*"
                ${OrIf} $3 == "?"
                ${OrIf} $3 == ":"
                ${OrIf} $4 == ".."
                    StrCpy $1 ""
                ${EndIf}
                IntOp $2 $2 + 1
            ${Loop}
            ${If} $1 != ""
                !insertmacro ${body}
            ${EndIf}
        ${Loop}
        FileClose $9
    ${EndIf}
!macroend

; Removes the file $1 below $5, and its folders as far as they are empty.
!macro RemoveName
    Delete "$5\$1"
    StrCpy $2 "$5\$1"
    ${Do}
        ${GetParent} $2 $2
        ${If} $2 == $5
        ${OrIf} $2 == ""
            ${ExitDo}
        ${EndIf}
        RMDir $2
    ${Loop}
!macroend

; Removes below FOLDER what LIST names, and then the list. UN: un. in the uninstaller.
!macro RemoveListed un folder list
    StrCpy $5 "${folder}"
    StrCpy $6 "${list}"
    Call ${un}RemoveNames
!macroend

!macro RemovingFunctions un
Function ${un}RemoveNames
    !insertmacro ForEachName $6 RemoveName
    Delete $6
FunctionEnd

Function ${un}RemoveBeside
    !insertmacro RemoveListed "${un}" "$INSTDIR\${BESIDE}" "$INSTDIR\${BESIDE}\files.txt"
    RMDir "$INSTDIR\${BESIDE}"
FunctionEnd
!macroend
!insertmacro RemovingFunctions ""
!insertmacro RemovingFunctions "un."

; $0: 1 if the file $2 can be replaced, else 0. A program that has just ended, or a virus scanner, may hold it for some seconds.
!macro TryFor10Seconds
    StrCpy $0 0
    ${For} $3 1 20
        ClearErrors
        FileOpen $4 $2 a
        ${IfNot} ${Errors}
            FileClose $4
            StrCpy $0 1
            ${ExitFor}
        ${EndIf}
        ${If} ${FileExists} "$2\*.*"
            ${ExitFor}  ; a folder stays one
        ${EndIf}
        Sleep 500
    ${Next}
!macroend

; What cannot be replaced is found before anything is: a file that is open or write-protected, a folder with the name of a
; file, a file with the name of a folder. What was written is sent to the disk, so that a power cut leaves no name without
; its bytes.
!macro CheckPlace
    StrCpy $2 "$INSTDIR\$1"
    ${If} ${FileExists} $2
        !insertmacro TryFor10Seconds
        ${If} $0 == 0
            !insertmacro Refuse "$2 cannot be replaced, so nothing was changed. Is Hearth running? Close it and try again."
        ${EndIf}
    ${EndIf}
    ${Do}
        ${GetParent} $2 $2
        ${If} $2 == $INSTDIR
        ${OrIf} $2 == ""
            ${ExitDo}
        ${EndIf}
        ${If} ${FileExists} $2
        ${AndIfNot} ${FileExists} "$2\*.*"
            !insertmacro Refuse "$2 is a file, and Hearth needs a folder of that name. Choose another folder. Nothing was changed."
        ${EndIf}
    ${Loop}
    FileOpen $0 "$INSTDIR\${BESIDE}\$1" a
    System::Call 'kernel32::FlushFileBuffers(p r0)'
    FileClose $0
!macroend
Function CheckPlaces
    !insertmacro ForEachName "${OWN_LIST}" CheckPlace
FunctionEnd

; The list of the version that is there is kept, with those of older ones if an upgrade was killed.
!macro RememberName
    FileWrite $8 "$1$\r$\n"
!macroend
Function RememberOlder
    ${IfNot} ${FileExists} "$INSTDIR\${LIST}"
        Return
    ${EndIf}
    ClearErrors
    FileOpen $8 "$INSTDIR\${OLDER_LIST}" a
    ${IfNot} ${Errors}
        FileSeek $8 0 END
        FileWrite $8 "$\r$\n"  ; the last line may be half a name
        !insertmacro ForEachName "$INSTDIR\${LIST}" RememberName
        ClearErrors
        FileWrite $8 "$\r$\n"
        FileClose $8
    ${Else}
        SetErrors  ; asking has cleared it
    ${EndIf}
    ${If} ${Errors}
        !insertmacro Refuse "The files cannot be written to $INSTDIR. Make room on the disk. Nothing was changed."
    ${EndIf}
FunctionEnd

; Moves $1 into its place, at once: there is never no file. A virus scanner may hold it for a moment.
Function Place
    StrCpy $2 "$INSTDIR\${BESIDE}\$1"
    StrCpy $3 "$INSTDIR\$1"
    ${GetParent} $3 $4
    CreateDirectory $4
    ${For} $4 1 20
        System::Call 'kernel32::MoveFileExW(w r2, w r3, i 9) i .r0'  ; replacing; it is on the disk when this returns
        ${If} $0 != 0
            Return
        ${EndIf}
        Sleep 100
    ${Next}
    !insertmacro Refuse "$3 cannot be replaced. Close what uses it and run this installer again; it will finish its work."
FunctionEnd

!macro PlaceName
    ${If} ${FileExists} "$INSTDIR\${BESIDE}\$1"
        Call Place
    ${EndIf}
!macroend
Function PlaceRest
    !insertmacro ForEachName "${OWN_LIST}" PlaceName
FunctionEnd

; Removes what only older versions had.
!macro RemoveIfOlder
    StrCpy $6 0
    FileOpen $7 "${OWN_LIST}" r
    ${Do}
        ClearErrors
        FileRead $7 $8
        ${If} ${Errors}
            ${ExitDo}
        ${EndIf}
        ${TrimNewLines} $8 $8
        ${If} $8 == $1
            StrCpy $6 1
        ${EndIf}
    ${Loop}
    FileClose $7
    ${If} $6 == 0
        !insertmacro RemoveName
    ${EndIf}
!macroend
Function RemoveOlder
    StrCpy $5 $INSTDIR
    !insertmacro ForEachName "$INSTDIR\${OLDER_LIST}" RemoveIfOlder
    Delete "$INSTDIR\${OLDER_LIST}"
FunctionEnd
