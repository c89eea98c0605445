import { setTimeout as delay } from 'node:timers/promises'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { limits } from '../../domain/limits.ts'
import type { RunningProgram } from '../../ports/sandbox-program.ts'
import { linesIn } from '../../processes/lines-in.ts'
import { quoted, ServerBroke } from './server-broke.ts'

/**
 * A transport that reports why the server ended, and counts the bytes that arrive during one call.
 */
export interface BoundTransport extends Transport {
  /** Resets the counters, since the bounds apply to each call. */
  newCall(): void
  /** The reason why the server ended; null if it has not, or was closed from here. */
  cause(): Promise<Error | null>
}

/**
 * Messages to and from a server in its sandbox, one per line. Ends when the server writes too much,
 * or something outside the protocol. Lines that do not look like a message are skipped up to a
 * limit, since libraries print such lines.
 */
export function programTransport(program: RunningProgram): BoundTransport {
  const { stdin, stdout } = program
  let broke: Error | null = null
  let closing: Promise<void> | undefined
  let bytes = 0
  let stray = 0

  function onBytes(count: number): void {
    bytes += count
    if (bytes > limits.mcp.callBytes)
      throw new ServerBroke(`wrote more than ${limits.mcp.callBytes} bytes for one call`)
  }

  async function read(): Promise<void> {
    try {
      for await (const line of linesIn(stdout, { onBytes })) take(line)
    } catch (error) {
      // The error of a destroyed stream does not matter.
      if (error instanceof ServerBroke) broke = error
    }
    void close()
    transport.onclose?.()
  }

  function take(line: string): void {
    if (line.trim() === '') return
    if (!/^\s*\{/.test(line)) {
      stray += 1
      if (stray > limits.mcp.strayLines) throw new ServerBroke(`writes what is no message: ${quoted(line)}`)
      return
    }
    transport.onmessage?.(parsed(line))
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      stdin.end()
      if (broke === null) await Promise.race([program.ended, delay(limits.mcp.closeSec * 1_000, null, { ref: false })])
      await program.close()
    })()
    return closing
  }

  const transport: BoundTransport = {
    async start() {
      void read()
    },
    async send(message) {
      // A failed write needs no handling: the server's silence or exit shows that it no longer
      // reads.
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    close,
    newCall() {
      bytes = 0
      stray = 0
    },
    async cause() {
      if (broke !== null) return broke
      const end = await Promise.race([program.ended, delay(limits.mcp.closeSec * 1_000, null, { ref: false })])
      if (end === null) return null
      if (end.spaceTaken !== null) return new ServerBroke(`was ended: ${end.spaceTaken}`)
      const how = end.exitCode === null ? 'was killed' : `ended with exit code ${end.exitCode}`
      const words = quoted(program.lastWords())
      return new ServerBroke(words === '' ? how : `${how}. Its last words: ${words}`)
    },
  }
  return transport
}

function parsed(line: string): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(JSON.parse(line))
  } catch {
    throw new ServerBroke(`wrote what is not the protocol: ${quoted(line)}`)
  }
}
