/**
 * Runs inside the sandbox of an agent, which starts it as an MCP server: `bridge <socket>` passes
 * its standard input on to the socket and prints what comes back. Its folder is bound into the
 * sandbox, so it imports only Node's modules.
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
