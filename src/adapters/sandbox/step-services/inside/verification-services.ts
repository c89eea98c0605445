import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { channelPath, type Setup, type StarterMessage } from './starter-protocol.ts'
import { startInOrder } from './startup-sequence.ts'

/**
 * Reports everything to the host through a connection that no other process can have: it is made
 * before anything else runs, and the host accepts only one.
 */
export function startVerificationServices(pid: string): void {
  const environment = environmentOf(pid)
  const channel = connect(channelPath)
  let text = ''
  channel.setEncoding('utf8').on('data', (more: string) => {
    text += more
    if (!text.endsWith('\n')) return
    channel.removeAllListeners('data').resume()
    const { services } = JSON.parse(text) as Setup
    const outputs = services.map(({ output }) => openSync(output, constants.O_WRONLY))
    say({ is: 'open' })
    void startInOrder({ services, environment, outputs, say })
  })
  // The host is gone, and the sandbox will end shortly.
  channel.on('error', () => process.exit(1)).on('close', () => process.exit(1))

  function say(line: StarterMessage): void {
    channel.write(`${JSON.stringify(line)}\n`)
    if (line.is === 'begun') letStepRun()
  }
}

/** The shell of the step waits for this word, and for the end of standard output. */
function letStepRun(): void {
  writeSync(1, 'ready')
  closeSync(1)
  // Occupies the descriptor's number, since Node would crash if a connection got it.
  openSync('/dev/null', 'w')
}

/**
 * The environment with which the kernel started the process; this program was started without one.
 */
function environmentOf(pid: string): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(entries.map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]))
}
