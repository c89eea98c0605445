/**
 * System call numbers on x86-64 and ARM. The arguments are invalid, so that a call that is not
 * denied does no harm.
 */
const calls: Readonly<Record<string, readonly [x64: number, arm64: number, ...args: number[]]>> = {
  'saw the keyring of the user': [250, 219, 0, -3, 0],
  'added a key': [248, 217, 0, 0, 0],
  'asked for a key': [249, 218, 0, 0, 0],
  'watched the kernel': [298, 241, 0, 0, -1],
  'loaded a program into the kernel': [321, 280, 0, 0, 0],
  'handled page faults': [323, 282, 0],
  'did its input and output past the filter': [425, 425, 0, 0],
  'took a descriptor of another process': [438, 438, -1, 0, 0],
  'opened a socket to the hypervisor': [41, 198, 40, 1, 0],
  'opened a socket of the kernel’s ciphers': [41, 198, 38, 5, 0],
  'opened a raw socket': [41, 198, 17, 3, 0],
}

/** EPERM, ENOSYS and EAFNOSUPPORT, which mean that the call was denied. */
const denials = [1, 38, 97]

/** Attempts with raw system calls, made in Perl, which most machines have. */
export const systemCalls = Object.entries(calls)
  .map(([name, [x64, arm64, ...args]]) => {
    const number = process.arch === 'arm64' ? arm64 : x64
    const perl = `$! = 0; exit(syscall(${[number, ...args].join(', ')}) >= 0 ? 0 : $! + 0)`
    return `await attempt(${JSON.stringify(name)}, () => !${JSON.stringify(denials)}.includes(spawnSync('perl', ['-e', ${JSON.stringify(perl)}]).status))`
  })
  .join('\n')

const privateFolders = ['/etc/ssl/private', '/etc/pki/tls/private', '/etc/shadow', '/etc/gshadow', '/etc/sudoers']

/** The machine's own secrets, which root may read. */
export const machineSecrets = [
  ...privateFolders.map((path) => `await attempt('saw ${path}', () => fs.existsSync('${path}'))`),
  `await attempt('read of the kernel’s keys', () => /keyring|user|logon/.test(fs.readFileSync('/proc/keys', 'utf8')))`,
].join('\n')
