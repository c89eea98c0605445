import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import type { PlainMount } from '../../../ports/sandbox.ts'
import type { SandboxService } from '../../../ports/sandbox-services.ts'
import { quoted } from '../container/exec-script.ts'
import { makePipes, type OutputPipe } from '../output-pipe.ts'
import { inside, type StarterMessage } from './inside/starter-protocol.ts'
import { openServiceChannel } from './starter-channel.ts'
import { starter, starterMounts } from './starter-program.ts'

/** The connections of one sandbox with services beside its command. */
export interface OpenServices {
  readonly mounts: readonly PlainMount[]
  /** Resolves when the services' output has been read. Rejects if an `onOutput` throws. */
  readonly read: Promise<void>
  /** Waits for `read` and for all reports. Call it once the sandbox is gone. */
  end(): Promise<void>
  close(): Promise<void>
}

/** Creates the pipes and the channel. Rejects with the system's error if that fails. */
export async function openServices(
  services: readonly SandboxService[],
  onSaid: (line: StarterMessage) => void,
): Promise<OpenServices> {
  const closing = new AsyncDisposableStack()
  try {
    // The folder around it is closed to other users of the host.
    const folder = await mkdtemp(join(tmpdir(), temporaryFolders.services))
    closing.defer(() => rm(folder, { recursive: true, force: true }))
    const made = { channel: join(folder, 'channel'), pipes: join(folder, 'pipes') }
    for (const path of Object.values(made)) {
      await mkdir(path)
      await chmod(path, 0o755)
    }
    const pipes: OutputPipe[] = []
    const release = () => {
      for (const pipe of pipes.splice(0)) pipe.release()
    }
    closing.defer(async () => release())
    pipes.push(...(await makePipes(services.map((_, i) => join(made.pipes, `${i}`)))))
    const outputs = pipes.map(({ output }) => output)
    closing.defer(async () => {
      for (const output of outputs) output.destroy()
    })
    const setup = { services: services.map(({ onOutput: _, ...told }, i) => ({ ...told, output: pipeInside(i) })) }
    const channel = await openServiceChannel(join(made.channel, 'socket'), {
      setup,
      onSaid(line) {
        // The pipes are open, so their names are no longer needed.
        if (line.is === 'open') void rm(made.pipes, { recursive: true, force: true }).catch(() => undefined)
        onSaid(line)
      },
    })
    closing.defer(async () => channel.close())
    const mounts = [
      ...starterMounts(),
      { path: made.channel, at: `${inside}/channel`, access: 'read' as const },
      { path: made.pipes, at: `${inside}/pipes`, access: 'read' as const },
    ]
    const read = Promise.all(services.map(({ onOutput }, i) => drain(outputs[i], onOutput))).then(() => undefined)
    return {
      mounts,
      read,
      async end() {
        release()
        await Promise.all([read, channel.heard()])
      },
      close: () => closing.disposeAsync(),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/**
 * The first line of the command's shell. The shell process then becomes the command, so its exit
 * code is the command's, and the program that starts the services is not its child.
 */
export function afterServices(command: string): string {
  return `[ "$(env -i ${starter('beside').join(' ')} $$ </dev/null &)" = ready ] || exit 125
exec /bin/sh -c ${quoted(command)}`
}

async function drain(output: Readable | undefined, onOutput: SandboxService['onOutput']): Promise<void> {
  for await (const chunk of output ?? []) onOutput(chunk)
}

function pipeInside(number: number): string {
  return `${inside}/pipes/${number}`
}
