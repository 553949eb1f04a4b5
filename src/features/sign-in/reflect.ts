/** Runs before tsyringe, which x509 brings along and which ends the import of the sign-in without it. */
import "reflect-metadata";
