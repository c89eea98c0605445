/**
 * The agent starts this file inside its sandbox as an MCP server: `bridge <socket>` passes its
 * standard input to the socket and prints the replies. Only this folder is bound into the sandbox,
 * so the file imports nothing but Node's modules.
 */
import { connect } from 'node:net'

const socket = connect({ path: process.argv[2] ?? '' })
process.stdin.pipe(socket)
socket.pipe(process.stdout)
socket.on('error', ({ message }) => {
  console.error(`the tools cannot be reached: ${message}`)
  process.exitCode = 1
})
socket.on('close', () => process.exit())
