import { readdirSync } from 'node:fs'

const always = [
  'alternatives',
  'ld.so.cache',
  // Only these parts of /etc/ssl and /etc/pki, since private keys lie beside them.
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
  // Debian keeps a part of Maven here; Maven's settings may contain passwords.
  'maven/m2.conf',
  'maven/logging',
]

/**
 * Without these files Debian's Java finds neither its virtual machine nor its network and trust
 * settings.
 */
const ofJava = ['jvm-amd64.cfg', 'jvm-arm64.cfg', 'net.properties', 'logging.properties', 'security']

/** Paths below /etc that programs need. */
export function hostFiles(): readonly string[] {
  const java = readdirSync('/etc').filter((name) => /^java-\d+-openjdk$/.test(name))
  return [...always, ...java.flatMap((folder) => ofJava.map((name) => `${folder}/${name}`))]
}
