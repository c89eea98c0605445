import { spawn } from 'node:child_process'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import type { Request } from './protocol.ts'

const stderrChars = 8_192
const programs = '/usr/local/bin:/usr/bin:/bin'

/** Runs git, which must be one of the sandbox's own programs; otherwise fails with ENOENT. */
export function readGit(
  { args, env, input, maxBytes }: Request<'git'>,
  signal: AbortSignal,
): Promise<RunnerReplies['git']> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: '/',
      env: { ...env, PATH: programs },
      stdio: 'pipe',
      signal,
      killSignal: 'SIGKILL',
    })
    const chunks: Buffer[] = []
    let size = 0
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (size > maxBytes) return
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) child.kill('SIGKILL')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-stderrChars)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      const output = Buffer.concat(chunks).subarray(0, maxBytes)
      resolve({ code: size > maxBytes ? null : (code ?? 128), base64: output.toString('base64'), stderr })
    })
    // If git fails before it has read all input, it closes the pipe, and its exit code says why.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
