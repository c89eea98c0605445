import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { folders, type StarterMessage, servicesVariable, type ToldService } from './starter-protocol.ts'
import { startInOrder, whenEnded } from './startup-sequence.ts'

const tailChars = 4_000

/**
 * Runs a program once the services are ready, and exits with its exit code. The services' output is
 * in files beside their folders.
 */
export async function runWithServices([program = '', ...args]: readonly string[]): Promise<void> {
  const { [servicesVariable]: told = '[]', ...rest } = process.env
  const environment = rest as Record<string, string>
  const services = JSON.parse(told) as readonly ToldService[]
  mkdirSync(folders, { recursive: true })
  const outputs = services.map(({ name }) => openSync(logOf(name), 'w'))

  function say(line: StarterMessage): void {
    if (line.is === 'failed') {
      const log = readFileSync(logOf(line.name), 'utf8').slice(-tailChars)
      process.stderr.write(
        `Service ${line.name} did not come up: ${line.why}. ${logOf(line.name)} ends with:\n${log}\n`,
      )
      process.exit(125)
    }
    if (line.is !== 'begun') return
    const env = Object.assign({}, ...services.map(({ env }) => env), environment)
    const child = spawn(program, args, { env, stdio: 'inherit' })
    child.once('error', (error) => process.stderr.write(`${error.message}\n`))
    whenEnded(child, (exitCode) => process.exit(exitCode))
  }

  await startInOrder({ services, environment, outputs, say })
}

function logOf(name: string): string {
  return `${folders}/${name}.log`
}
