' Ids from Rnd of VBScript: cscript //nologo vbscript.vbs FORM COUNT
Randomize
For n = 1 To CLng(WScript.Arguments(1))
    text = ""
    For digit = 1 To 32
        text = text & LCase(Hex(Int(Rnd * 16)))
        If digit = 8 Or digit = 12 Or digit = 16 Or digit = 20 Then text = text & "-"
    Next
    WScript.Echo text
Next
