-- Ids from math.random() of Lua and LuaJIT: lua lua.lua FORM COUNT
local function version4(hex)
  local digit = string.format("%x", 8 + tonumber(hex:sub(17, 17), 16) % 4)
  return ("%s-%s-4%s-%s%s-%s"):format(hex:sub(1, 8), hex:sub(9, 12), hex:sub(14, 16), digit, hex:sub(18, 20), hex:sub(21))
end

local forms = {
  -- In Lua 5.4, whole numbers of 64 bits.
  whole = function()
    return version4(string.format("%016x%016x", math.random(0), math.random(0)))
  end,
  -- A snippet that many programs copied.
  snippet = function()
    return (("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"):gsub("[xy]", function(c)
      return string.format("%x", c == "x" and math.random(0, 0xf) or math.random(8, 0xb))
    end))
  end,
}

math.randomseed(os.time())
for _ = 1, tonumber(arg[2]) do
  print(forms[arg[1]]())
end
