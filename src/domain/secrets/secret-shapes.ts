/** The shape by which one kind of key or token is recognized. */
export interface SecretShape {
  readonly name: string
  /**
   * The two characters with which a match can begin; the character before is neither a letter nor a
   * digit.
   */
  readonly starts: readonly string[]
  /**
   * Sticky. The first group is context, and stays. Linear: after the first unbounded repetition
   * nothing can fail.
   */
  readonly pattern: RegExp
}

const token = 'A-Za-z0-9_-'
/** A quote as JSON writes it, also JSON within JSON, and as XML does. */
const quote = String.raw`(?:\\{0,8}["']|&quot;|&#34;|&apos;|&#39;)`
/** The separator between a name and its value: in JSON, XML, YAML, ini files and code. */
const is = String.raw`${quote}?\s{0,4}[:=]\s{0,4}${quote}?`
/** Words that stand for a password in examples. */
const placeholders =
  'password|passwd|pass|pwd|secret|token|user|username|postgres|mysql|root|admin|guest|test|example|changeme'

/**
 * Shapes that are hardly ever anything else; private key blocks, which have many lines, have a file
 * of their own. The first matching shape counts.
 */
export const secretShapes: readonly SecretShape[] = [
  shape('Anthropic key', ['sk'], `sk-ant-[${token}]{16,}`),
  shape('OpenAI project key', ['sk'], `sk-(?:proj|svcacct|admin)-[${token}]{16,}`),
  shape('OpenRouter key', ['sk'], 'sk-or-v1-[0-9a-f]{32,}'),
  shape('OpenAI key', ['sk'], 'sk-(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{32,}'),
  shape('GitHub token', ['gh'], 'gh[pousr]_[A-Za-z0-9]{20,}'),
  shape('GitHub fine-grained token', ['gi'], 'github_pat_[A-Za-z0-9_]{20,}'),
  shape('GitLab token', ['gl'], `gl(?:pat|dt|rt|ptt|cbt|soat|agent)-(?=[A-Za-z_-]{0,64}[0-9A-Z])[${token}]{16,}`),
  shape(
    'AWS key id, and the secret key beside it',
    ['AK', 'AS'],
    'A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])(?:[ \\t,;:|]{1,8}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))?',
  ),
  shape(
    'AWS secret key',
    ['se', 'Se', 'SE'],
    `([Ss]ecret_?[Aa]ccess_?[Kk]ey${is}|SECRET_ACCESS_KEY${is})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`,
  ),
  shape('Google API key', ['AI'], `AIza[${token}]{35}(?![${token}])`),
  shape('Google OAuth secret', ['GO'], `GOCSPX-[${token}]{28}(?![${token}])`),
  shape('Slack token', ['xo'], 'xox[a-z](?:\\.xox[a-z])?-(?=[A-Za-z-]{0,64}[0-9])[A-Za-z0-9-]{12,}'),
  shape('Slack app token', ['xa'], 'xapp-[0-9]-[A-Za-z0-9-]{16,}'),
  shape('Slack webhook', ['ho'], '(hooks\\.slack\\.com/(?:services|workflows|triggers)/)[A-Za-z0-9+/_-]{16,}'),
  shape('Stripe key', ['sk', 'rk'], '[sr]k_live_[A-Za-z0-9]{16,}'),
  shape('Drydock hub token', ['dr'], `drydock_hub_[${token}]{43}(?![${token}])`),
  shape('npm token', ['np'], 'npm_[A-Za-z0-9]{30,}'),
  shape('PyPI token', ['py'], `pypi-AgE[${token}]{20,}`),
  shape('Hugging Face token', ['hf'], 'hf_[A-Za-z0-9]{30,}'),
  shape('DigitalOcean token', ['do'], 'do[opr]_v1_[0-9a-f]{32,}'),
  shape('SendGrid key', ['SG'], `SG\\.[${token}]{16,32}\\.[${token}]{16,64}`),
  shape('Twilio key', ['SK'], 'SK[0-9a-f]{32}(?![A-Za-z0-9])'),
  shape('Twilio account and its token', ['AC'], '(AC[0-9a-f]{32}[:,; \\t]{1,4})[0-9a-f]{32}(?![A-Za-z0-9])'),
  shape(
    'Twilio token',
    ['au', 'Au', 'AU'],
    `((?:auth_?token|authToken|AuthToken|AUTH_TOKEN)${is})[0-9a-f]{32}(?![A-Za-z0-9])`,
  ),
  // The match must not follow a part of another token: otherwise the same text would be read
  // repeatedly.
  shape('JSON web token', ['ey'], `(?<![_-])eyJ[${token}]{10,}\\.eyJ[${token}]{10,}\\.[${token}]{10,}`),
  shape(
    'Authorization header',
    ['au', 'Au', 'AU'],
    `((?:[Aa]uthorization|AUTHORIZATION)${is}(?:[Bb]earer|[Bb]asic|[Tt]oken|BEARER|BASIC)\\s{1,4})(?=[A-Za-z._~+/=-]{0,64}[0-9])[A-Za-z0-9._~+/=-]{8,}`,
  ),
  shape('bearer token', ['Be'], '(Bearer\\s{1,4})(?=[A-Za-z._~+/=-]{0,64}[0-9])[A-Za-z0-9._~+/=-]{20,}'),
  shape(
    'password in a URL',
    ['//'],
    `(//[^\\s/:@"'<>\\\\]{0,64}:)(?!(?:${placeholders}|[$\\x7b<%*x].{0,40}|\\.{3})@)[^\\s/@"'<>\\\\]{3,256}(?=@[A-Za-z0-9[])`,
  ),
  shape(
    'token of an .npmrc',
    ['au', 'pa'],
    '((?:(?<=_)auth(?:Token)?|(?<=:_)password) ?= ?\\\\{0,8}"?)(?=[^\\s"]{0,64}[0-9A-Z])[A-Za-z0-9_./+=:-]{16,}',
  ),
  shape(
    'login of a container registry',
    ['au'],
    `((?<=["';])auth${quote}\\s{0,4}:\\s{0,4}${quote})(?=[A-Za-z]{0,64}[0-9+/=])[A-Za-z0-9+/]{12,}={0,2}(?=${quote})`,
  ),
  shape('session of the dashboard', ['dr'], `(drydock_[0-9a-f]{12}=)[0-9]{13}\\.[${token}]{43}`),
]

function shape(name: string, starts: readonly string[], pattern: string): SecretShape {
  return { name, starts, pattern: new RegExp(pattern, 'y') }
}
