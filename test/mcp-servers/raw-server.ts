import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A server without the SDK; the file in its first argument defines its greeting. */
const [, , file = ''] = process.argv
const { version, capabilities } = JSON.parse(readFileSync(file, 'utf8'))

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method !== 'initialize') return
  const protocolVersion = version ?? params.protocolVersion
  const result = { protocolVersion, capabilities, serverInfo: { name: 'raw', version: '1' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
})
