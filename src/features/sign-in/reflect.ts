/** Must precede tsyringe, a dependency of x509 that throws on import without this module. */
import "reflect-metadata";
