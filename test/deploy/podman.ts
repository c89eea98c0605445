import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')
/** Debian as debootstrap makes it. The archive is cached, since making it takes minutes. */
const debian = join(root, 'node_modules', '.cache', 'drydock-image', 'debian.tar')
export const base = 'localhost/drydock-long-base'
export const image = 'localhost/drydock-long'
const user = 'drydock-long'

export interface PodmanResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Podman as one user of this machine. */
export interface Podman {
  readonly name: string
  /** Owner on the host of files that the image's user writes. */
  readonly uid: number
  /** Options that map the image's user to this one. */
  readonly options: readonly string[]
  podman(...args: readonly string[]): Promise<PodmanResult>
}

/** Podman raises limits by default, which root of a test machine may not do. */
const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096']

const podmanWith = async (command: readonly string[], args: readonly string[]): Promise<PodmanResult> => {
  const [program = '', ...rest] = [...command, 'podman', ...args]
  const options = { cwd: '/', maxBuffer: 1e8 }
  const ran = promisify(execFile)(program, rest, options).then((done) => ({ code: 0, ...done }))
  const { code, stdout, stderr }: PodmanResult & { code: number } = await ran.catch((error) => error)
  return { exitCode: code, stdout, stderr }
}

export const asRoot: Podman = {
  name: 'podman as root',
  uid: 1000,
  options: limits,
  podman: (...args) => podmanWith([], args),
}

/** Podman as a user that is created here, and removed by `remove`. */
export function ordinaryUser(): Podman & { remove(): void } {
  execFileSync('useradd', ['--create-home', user])
  const uid = Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }))
  const runtime = mkdtempSync(join(tmpdir(), 'drydock-podman-'))
  execFileSync('chown', [user, runtime])
  const become = ['setpriv', '--reuid', user, '--regid', user, '--init-groups', 'env', '-i', `HOME=/home/${user}`]
  const command = [...become, `PATH=${process.env.PATH}:/usr/sbin`, `XDG_RUNTIME_DIR=${runtime}`]
  return {
    name: 'podman without root',
    uid,
    options: ['--userns', 'keep-id:uid=1000,gid=1000'],
    podman: (...args) => podmanWith(command, args),
    remove() {
      const [program = '', ...rest] = command
      execFileSync(program, [...rest, 'podman', 'system', 'reset', '--force'], { cwd: '/' })
      execFileSync('userdel', ['--remove', user], { stdio: 'ignore' })
      rmSync(runtime, { recursive: true, force: true })
    },
  }
}

/** Throws if the exit code is not 0. */
export async function must(done: Promise<PodmanResult>): Promise<string> {
  const { exitCode, stdout, stderr } = await done
  if (exitCode !== 0) throw new Error(`${exitCode}: ${stdout}\n${stderr}`)
  return stdout.trim()
}

/** The Containerfile's image, on Debian, for root. */
export async function buildImage(): Promise<void> {
  if (!existsSync(debian)) {
    mkdirSync(dirname(debian), { recursive: true })
    const made = mkdtempSync(join(tmpdir(), 'drydock-debian-'))
    execFileSync('debootstrap', ['--variant=minbase', 'bookworm', made], { stdio: 'ignore' })
    execFileSync('tar', ['-C', made, '--exclude=./proc/*', '--exclude=./sys/*', '-cf', `${debian}.part`, '.'])
    renameSync(`${debian}.part`, debian)
    rmSync(made, { recursive: true, force: true })
  }
  await must(asRoot.podman('import', debian, base))
  const authorities = process.env.NODE_EXTRA_CA_CERTS
  const secret = authorities === undefined ? [] : ['--secret', `id=authorities,src=${authorities}`]
  const options = ['--format', 'docker', '--layers=false', '--network', 'host', ...limits, ...secret]
  await must(asRoot.podman('build', ...options, '--build-arg', `BASE=${base}`, '--tag', image, root))
}

export async function removeImages(...more: readonly string[]): Promise<void> {
  await asRoot.podman('rmi', '--force', ...more, image, base)
}

/** Copies an image of root to another user. */
export async function giveImage(to: Podman): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-image-'))
  execFileSync('chmod', ['755', folder])
  await must(asRoot.podman('save', '--quiet', '--output', join(folder, 'image.tar'), image))
  execFileSync('chmod', ['644', join(folder, 'image.tar')])
  await must(to.podman('load', '--quiet', '--input', join(folder, 'image.tar')))
  rmSync(folder, { recursive: true, force: true })
}
