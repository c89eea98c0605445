/**
 * A program for a step: prints in one line everything that it can observe about its environment,
 * except the contents of files.
 */
export const lookAround = String.raw`
const fs = require('node:fs')
const os = require('node:os')
const { execFileSync } = require('node:child_process')

const attempt = (look) => {
  try {
    return look()
  } catch (error) {
    return String(error.code ?? error.message)
  }
}
const read = (path) => attempt(() => fs.readFileSync(path, 'utf8'))
const isNumber = (name) => /^\d+$/.test(name)

// Hides numbers of processes, inodes and devices, and amounts that the kernel counts at run time.
const plain = (text) => text.replace(/\[\d+\]/g, '[n]')
const counted = /^(?:Vm|Rss|Threads|SigQ|voluntary|nonvoluntary|Pid|PPid|Tgid|Ngid|NSp|NStgid|FDSize|HugetlbPages|Cpus|Mems|untag|CoreDumping|THP|x86|Sig|Shd)/
const statusOf = (pid) => read('/proc/' + pid + '/status').split('\n').filter((line) => !counted.test(line))
const mountsOf = (pid) =>
  read('/proc/' + pid + '/mountinfo').split('\n').filter(Boolean).map((line) => line.split(' ').slice(3).join(' ')).sort()
const linesOf = (path) => read(path).split('\n')
const ofProcess = (pid) => ({
  name: read('/proc/' + pid + '/comm'),
  command: read('/proc/' + pid + '/cmdline'),
  environment: read('/proc/' + pid + '/environ').split('\0').sort(),
  status: statusOf(pid),
  groups: linesOf('/proc/' + pid + '/cgroup'),
  folder: attempt(() => fs.readlinkSync('/proc/' + pid + '/cwd')),
  root: attempt(() => fs.readlinkSync('/proc/' + pid + '/root')),
  program: attempt(() => fs.readlinkSync('/proc/' + pid + '/exe')),
  limits: linesOf('/proc/' + pid + '/limits'),
  oom: read('/proc/' + pid + '/oom_score_adj'),
  mounts: mountsOf(pid),
  descriptors: attempt(() => fs.readdirSync('/proc/' + pid + '/fd').map((fd) => attempt(() => plain(fs.readlinkSync('/proc/' + pid + '/fd/' + fd))))),
})

// The clock differs between runs, so only differences between times count. A checkout has a single
// time.
const checkedOut = fs.statSync('/repo/package.json').mtimeMs
const timeOf = (time) => (time === checkedOut ? 'of the checkout' : time === checkedOut + 10_000 ? 'of the index' : Math.abs(time - Date.now()) < 60_000 ? 'now' : time)
const times = (stats) => ({
  written: timeOf(stats.mtimeMs),
  read: timeOf(stats.atimeMs),
  born: stats.birthtimeMs === stats.ctimeMs ? 'unknown' : 'known',
})
const changed = []
const below = (folder, { timed = true } = {}) => {
  const found = []
  const visit = (path) => {
    const stats = attempt(() => fs.lstatSync(path))
    if (typeof stats === 'string') return found.push([path, stats])
    if (/^\/repo(?!\/(?:node_modules|out))./.test(path)) changed.push(stats.ctimeMs)
    found.push([path, stats.mode, stats.uid, stats.gid, stats.nlink, ...(timed ? [times(stats)] : [])])
    if (stats.isDirectory()) for (const name of attempt(() => fs.readdirSync(path).sort())) visit(path + '/' + name)
  }
  visit(folder)
  return found
}

const objects = below('/repo/.git/objects').filter(([path]) => /\/[0-9a-f]{2}(?:\/|$)/.test(path))
const git = (...args) => attempt(() => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } }))
const counts = git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype)').split('\n')
const seen = {
  environment: Object.entries(process.env).sort(),
  processes: fs.readdirSync('/proc').filter(isNumber).sort((a, b) => a - b).map(ofProcess),
  host: os.hostname(),
  user: os.userInfo(),
  umask: process.umask(),
  folder: process.cwd(),
  repository: below('/repo').filter(([path]) => !path.startsWith('/repo/.git')),
  kinds: [...new Set(below('/repo').filter(([path]) => !path.includes('/.git/objects/')).map(([, mode, ...more]) => JSON.stringify([mode, ...more.filter((_, i) => i !== 2)])))].sort(),
  git: below('/repo/.git', { timed: false }).filter(([path]) => !/\/objects(?:\/|$)/.test(path)),
  objects: [...new Set(objects.map(([, mode, , , , more]) => JSON.stringify([mode, more])))].sort(),
  commits: counts.filter((type) => type === 'commit').length,
  unreachable: git('fsck', '--unreachable', '--no-reflogs').trim(),
  history: git('log', '--format=%an %ae %ad %cn %cd %P %B'),
  changes: git('status', '--porcelain') + git('diff-index', 'HEAD', '--'),
  settings: read('/repo/.git/config'),
  artifacts: below(process.env.ARTIFACT_DIR),
  temporary: ['/tmp', '/run', '/dev/shm', '/mnt', os.tmpdir(), os.homedir()].map((folder) => below(folder)),
  roots: fs.readdirSync('/').sort(),
  mounted: linesOf('/proc/mounts').sort(),
  sockets: linesOf('/proc/net/unix').length,
  interfaces: Object.keys(os.networkInterfaces()),
}
// All files of a checkout were last changed in the moment when it was created.
seen.changedTogether = Math.max(...changed) - Math.min(...changed) < 5_000
console.log('SEEN ' + JSON.stringify(seen))
`
