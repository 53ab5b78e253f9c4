// A process with a key in its memory, for what looks for it there. It reads 32 bytes on its standard input, keeps what
// its argument says of them, and ends with that input.

const [form] = process.argv.slice(2)
const kept = []

/** As a library in JavaScript would have it: a BigInt, which is made of hex, and texts. */
function asJavaScript(bytes) {
  const hex = bytes.toString("hex")
  return [hex, hex.toUpperCase(), bytes.toString("base64"), BigInt(`0x${hex}`)]
}

process.stdin.on("data", (chunk) => {
  const copy = Buffer.from(chunk)
  kept.push(form === "javascript" ? asJavaScript(copy) : copy)
  process.stdout.write("kept\n")
})
