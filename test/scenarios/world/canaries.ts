import { createHash } from 'node:crypto'

/** An invented secret of one kind, which nobody has ever used. */
export interface Canary {
  readonly family: string
  /** The secret in its usual context. */
  readonly text: string
  /** The parts that must not appear anywhere; the rest of the text is context. */
  readonly needles: readonly string[]
}

/** Letters and digits of a family, the same in every process. */
const alnum = (seed: string, length: number) => more(seed, 'base64', length).replaceAll(/[^A-Za-z0-9]/g, '7')
const hex = (seed: string, length: number) => more(seed, 'hex', length)

function more(seed: string, encoding: 'hex' | 'base64', length: number): string {
  let text = ''
  for (let n = 0; text.length < length; n += 1) text += createHash('sha256').update(`${seed} ${n}`).digest(encoding)
  return text.slice(0, length)
}

/** In parts, so that no text of this repository has the shape. */
const family = (name: string, before: readonly string[], secret: string, after = ''): Canary => ({
  family: name,
  text: before.join('') + secret + after,
  needles: [secret],
})

const keyLines = Array.from({ length: 6 }, (_, i) => alnum(`pem ${i}`, i === 5 ? 44 : 64))
const dashes = '-'.repeat(5)
const key = `PRIVATE ${'KEY'}${dashes}`
const url = ['postgres', ':', '//app', ':']
const jwt = ['eyJ', 'eyJ', ''].map((start, i) => start + alnum(`jwt ${i}`, 40))

/** One of each family of `secret-shapes.ts`. */
export const canaries: readonly Canary[] = [
  {
    family: 'private key',
    text: [`${dashes}BEGIN ${key}`, ...keyLines, `${dashes}END ${key}`].join('\n'),
    needles: keyLines,
  },
  {
    family: 'private key that was cut off',
    text: [`${dashes}BEGIN RSA ${key}`, ...keyLines.slice(0, 3)].join('\n'),
    needles: keyLines.slice(0, 3),
  },
  family('Anthropic', ['sk-', 'ant-', 'api03-'], alnum('anthropic', 60)),
  family('OpenAI', ['s', 'k-'], `a1${alnum('openai', 46)}`),
  family('OpenAI project', ['sk-', 'proj-'], alnum('project', 60)),
  family('OpenRouter', ['sk-', 'or-', 'v1-'], hex('router', 64)),
  ...['p', 'o', 'u', 's', 'r'].map((kind) =>
    family(`GitHub gh${kind}`, ['gh', kind, '_'], alnum(`github ${kind}`, 36)),
  ),
  family('GitHub fine-grained', ['github', '_pat_'], `${alnum('pat', 22)}_${alnum('pat 2', 59)}`),
  family('GitLab', ['gl', 'pat-'], `X1${alnum('gitlab', 18)}`),
  family('AWS id', ['AK', 'IA'], more('aws', 'hex', 16).toUpperCase()),
  family('AWS session id', ['AS', 'IA'], more('sts', 'hex', 16).toUpperCase()),
  family('AWS secret', ['aws_secret_', 'access_key', ' = '], alnum('aws secret', 40)),
  family(
    'AWS secret beside its id',
    ['AK', 'IA', more('aws 2', 'hex', 16).toUpperCase(), ','],
    alnum('aws secret 2', 40),
  ),
  family('Drydock hub token', ['drydock', '_hub', '_'], alnum('hub', 43)),
  family('Google', ['AI', 'za'], alnum('google', 35)),
  family('Slack', ['xo', 'xb-'], `12${alnum('slack', 30)}`),
  family(
    'Slack webhook',
    ['https://hooks.slack', '.com/services/'],
    `T${alnum('hook', 8)}/B${alnum('hook 2', 8)}/${alnum('hook 3', 24)}`,
  ),
  family('Stripe', ['sk', '_live_'], alnum('stripe', 24)),
  family('Stripe restricted', ['rk', '_live_'], alnum('stripe 2', 24)),
  family('npm', ['np', 'm_'], alnum('npm', 36)),
  family('PyPI', ['py', 'pi-', 'AgE'], alnum('pypi', 60)),
  family('Hugging Face', ['h', 'f_'], alnum('hf', 34)),
  family('DigitalOcean', ['dop', '_v1_'], hex('do', 64)),
  family('SendGrid', ['S', 'G.'], `${alnum('sg', 22)}.${alnum('sg 2', 43)}`),
  family('Twilio', ['S', 'K'], hex('twilio', 32)),
  family('JSON web token', [], jwt.join('.')),
  family('Authorization', ['Authorization', ': Bearer '], `1${alnum('bearer', 30)}`),
  family('URL', url, `p4${alnum('url', 14)}`, '@db.localhost/x'),
  family('.npmrc', ['//registry.localhost/:_', 'authToken='], `1${alnum('npmrc', 30)}`),
  family('docker', ['"au', 'th": "'], `${Buffer.from(`user:${alnum('docker', 24)}`).toString('base64')}`, '"'),
]

/** The canaries that fit on one line. */
export const oneLiners: readonly Canary[] = canaries.filter(({ text }) => !text.includes('\n'))
