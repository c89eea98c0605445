import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { channelPath, type Said, type Setup } from './starter-protocol.ts'
import { startInOrder } from './startup-sequence.ts'

/**
 * Tells the host everything through a connection that nothing else inside can have: it is made
 * before anything else runs, and the host takes no second one.
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
  // The host is gone, and with it the sandbox in a moment.
  channel.on('error', () => process.exit(1)).on('close', () => process.exit(1))

  function say(line: Said): void {
    channel.write(`${JSON.stringify(line)}\n`)
    if (line.is === 'begun') letStepRun()
  }
}

/** The shell of the step waits for the word, and for the end of standard output. */
function letStepRun(): void {
  writeSync(1, 'ready')
  closeSync(1)
  // Takes the number: as that of a connection Node would not survive it.
  openSync('/dev/null', 'w')
}

/** As the kernel gave it to the process: this one has none itself. */
function environmentOf(pid: string): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(entries.map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]))
}
