import { readdirSync } from 'node:fs'

const always = [
  'alternatives',
  'ld.so.cache',
  // Not the whole of either: private keys lie beside.
  'ssl/certs',
  'ssl/cert.pem',
  'ssl/openssl.cnf',
  'ca-certificates',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'pki/tls/openssl.cnf',
  'pki/ca-trust',
  'passwd',
  'group',
  'nsswitch.conf',
  'localtime',
  // Debian keeps a part of Maven here; its settings may hold passwords.
  'maven/m2.conf',
  'maven/logging',
]

/** Without them Debian's Java does not know its virtual machine, its network and its trust. */
const ofJava = ['jvm-amd64.cfg', 'jvm-arm64.cfg', 'net.properties', 'logging.properties', 'security']

/** Paths below /etc that programs need. */
export function hostFiles(): readonly string[] {
  const java = readdirSync('/etc').filter((name) => /^java-\d+-openjdk$/.test(name))
  return [...always, ...java.flatMap((folder) => ofJava.map((name) => `${folder}/${name}`))]
}
