export function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).map(([name, content]) =>
    Buffer.concat([header(name, content), blocks(content)]),
  )
  return Buffer.concat([...entries, Buffer.alloc(1_024)])
}

function header(name: string, content: string): Buffer {
  const bytes = Buffer.alloc(512)
  bytes.write(name)
  bytes.write('0000644\0', 100)
  bytes.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  bytes.write(' '.repeat(8), 148)
  bytes.write('0', 156)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

function blocks(content: string): Buffer {
  return Buffer.from(content.padEnd(Math.ceil(content.length / 512) * 512, '\0'))
}
